"""`cache info` and `cache clear`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cuda_shim.cli.main import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fill(folder: Path) -> None:
    for name, size in (("runtime/a/lib.so", 2_000_000), ("kernels/k.so", 500_000), ("compilers.note", 10)):
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
    (folder / "mine.txt").write_text("not ours")


def test_info(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "info"]) == 0
    assert capsys.readouterr().out.splitlines() == [str(folder), "  total         0 files      0.0 MB"]
    fill(folder)
    assert main(["cache", "info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["  runtime       1 files      2.0 MB", "  kernels       1 files      0.5 MB"]
    assert lines[-1] == "  total         3 files      2.5 MB"
    assert main(["cache", "info", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["folder"], document["bytes"]) == (str(folder), 2_500_010)
    assert document["parts"]["runtime"] == {"files": 1, "bytes": 2_000_000}


def test_clear_removes_ours_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(folder)
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"{folder}: 2.5 MB freed\n"
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"{folder}: 0.0 MB freed\n"


@pytest.mark.parametrize("verb", ["info", "clear"])
def test_a_folder_that_others_can_write_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], verb: str) -> None:
    fill(folder)
    folder.chmod(0o777)
    assert main(["cache", verb]) == 2
    assert capsys.readouterr().err.startswith(f"cuda_shim: cache: cache folder {folder} can be written by others")
    assert (folder / "runtime/a/lib.so").exists()


@pytest.mark.parametrize("words", [[], ["purge"], ["clear", "--json"], ["info", "all"]])
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["cache", *words]) == 2
    assert capsys.readouterr().err.startswith("usage: python -m cuda_shim cache (info [--json] | clear)")
