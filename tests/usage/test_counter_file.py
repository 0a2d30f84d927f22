"""Counters in mapped files: the counts of one process, and the sum over all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.usage.counter_file import CounterFile, read


def test_counts_and_times_add_up(tmp_path: Path) -> None:
    file = CounterFile(tmp_path, 0)
    init = file.new_counter(("call", "cuInit", "mapped"))
    place = file.new_counter(("error", "cuInit", "mapped", "größe"))
    assert init is not None
    assert place is not None
    for nanoseconds in (5, 7, 1 << 40):
        file.add(init, nanoseconds)
    file.add(place, 1)
    assert read(tmp_path) == (
        {("call", "cuInit", "mapped"): (3, 12 + (1 << 40)), ("error", "cuInit", "mapped", "größe"): (1, 1)},
        1,
    )


def test_files_of_several_processes(tmp_path: Path) -> None:
    for _ in range(3):
        file = CounterFile(tmp_path, 0)
        at = file.new_counter(("call", "cuInit", "mapped"))
        assert at is not None
        file.add(at, 10)
    assert read(tmp_path) == ({("call", "cuInit", "mapped"): (3, 30)}, 3)


def test_a_full_file_says_so_and_stays_whole(tmp_path: Path) -> None:
    file = CounterFile(tmp_path, 0)
    count = 0
    while (at := file.new_counter(("call", f"name{count}", "x" * 100))) is not None:
        file.add(at, 1)
        count += 1
    assert count > 100
    totals, _ = read(tmp_path)
    assert len(totals) == count
    assert set(totals.values()) == {(1, 1)}


def test_a_second_file_of_a_process_is_no_second_process(tmp_path: Path) -> None:
    CounterFile(tmp_path, 0)
    CounterFile(tmp_path, 1)
    assert read(tmp_path)[1] == 1


@pytest.mark.parametrize("content", [b"", b"\0" * 64, b"abc", b"CHPART01" + b"\xff" * 64])
def test_a_file_that_is_none_of_ours_counts_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "1-00000000.counters").write_bytes(content)
    assert read(tmp_path)[0] == {}


def test_the_file_is_private(tmp_path: Path) -> None:
    CounterFile(tmp_path, 0)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
