"""The parts of Triton's driver that need no Triton: the assembler's stand-in, arrays, events."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from cuda_shim import settings
from cuda_shim.triton import wrap
from cuda_shim.triton.assembler import ensure_assembler
from cuda_shim.triton.host_device import Event, Scratch


@pytest.fixture
def assembler(tmp_path: Path) -> str:
    return ensure_assembler("13.5", settings.read({"cache_dir": str(tmp_path / "cache")}))


def start(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=False)


def test_the_assembler_copies_its_source(assembler: str, tmp_path: Path) -> None:
    source, output = tmp_path / "a b.ptx", tmp_path / "out.o"
    source.write_text(".version 8.0\n")
    words = ("-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_80", str(source), "-o", str(output))
    done = start(assembler, *words)
    assert (done.returncode, done.stderr, output.read_text()) == (0, "", ".version 8.0\n")


def test_the_assembler_names_the_release_of_the_layout(assembler: str) -> None:
    assert "release 13.5" in start(assembler, "--version").stdout


def test_the_assembler_refuses_what_it_cannot_copy(assembler: str, tmp_path: Path) -> None:
    assert start(assembler, "-v").returncode == 1
    done = start(assembler, str(tmp_path / "missing.ptx"), "-o", str(tmp_path / "out.o"))
    assert done.returncode != 0
    assert "missing.ptx" in done.stderr


def test_an_assembler_that_was_changed_is_written_anew(assembler: str, tmp_path: Path) -> None:
    Path(assembler).write_text("#!/bin/sh\nexit 3\n")
    again = ensure_assembler("13.5", settings.read({"cache_dir": str(tmp_path / "cache")}))
    assert (again, start(again, "--version").returncode) == (assembler, 0)


def test_arrays_have_what_triton_asks_of_tensors() -> None:
    array = np.arange(12, dtype=np.int16).reshape(3, 4)
    wrapped = wrap(array)
    assert (wrapped.data_ptr(), wrapped.dtype, wrapped.shape) == (array.ctypes.data, np.int16, (3, 4))
    assert [wrapped.stride(dimension) for dimension in (0, 1)] == [4, 1]
    assert wrapped.numel() == 12
    assert np.asarray(wrapped).base is array.base
    assert np.asarray(wrapped, dtype=np.float32).dtype == np.float32


def test_events_measure_time() -> None:
    first, second = Event(enable_timing=True), Event(enable_timing=True)
    first.record()
    second.record()
    assert first.elapsed_time(second) == -second.elapsed_time(first) >= 0


@pytest.mark.parametrize("alignment", [1, 16, 128])
def test_scratch_memory_is_aligned(alignment: int) -> None:
    assert Scratch(100, alignment).data_ptr() % alignment == 0
