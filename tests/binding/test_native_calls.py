"""Calls through the compiled library answer as calls through Python: the same statuses, objects and errors."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cuda_shim import settings
from cuda_shim.backends import compilers
from cuda_shim.binding.native_calls.build import ensure_library
from cuda_shim.errors import BackendNotFound
from tests import environments

PROGRAM = environments.ROOT / "tests/binding/native_calls_program.py"


def answers(layout: str, compiled: bool) -> tuple[bool, list[str]]:
    import json

    done = subprocess.run(
        [sys.executable, str(PROGRAM), layout, str(compiled)],
        env={**os.environ, "PYTHONPATH": str(environments.ROOT)},
        cwd=environments.ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    library, lines = json.loads(done.stdout)
    return library, lines


@pytest.mark.parametrize("layout", ["11.8", "12.9", "13.5"])
def test_whatever_is_given_the_answer_is_the_same(layout):
    through_python, expected = answers(layout, False)
    through_c, lines = answers(layout, True)
    assert (through_python, through_c) == (False, True)
    assert len(lines) > 1000
    assert lines == expected


def test_without_a_compiler_calls_go_through_python(monkeypatch, tmp_path):
    def none(_: object) -> None:
        raise BackendNotFound("no compiler")

    monkeypatch.setattr(compilers, "find_builder", none)
    with pytest.raises(BackendNotFound, match="no compiler"):
        ensure_library(settings.current())


@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_is_kept_of_a_call(compiled):
    program = """
import cuda_shim, ctypes, gc, sys
cuda_shim.enable(backend="cpu", compiled_calls=COMPILED, quiet=True)
from cuda.bindings import driver, runtime
runtime.cudaFree(0)
stream, memory = runtime.cudaStreamCreate()[1], runtime.cudaMalloc(64)[1]
own = driver.CUstream(int(stream))
own.getPtr()
data, kind = bytes(64), runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
watched = [stream, data, kind, runtime.cudaStream_t, runtime.cudaError_t.cudaSuccess, type(None)]

def calls(count):
    for _ in range(count):
        runtime.cudaStreamQuery(stream)
        runtime.cudaStreamQuery(12345)
        runtime.cudaMemcpy(memory, data, 64, kind)
        runtime.cudaMemcpy(memory, bytearray(8), 8, kind)
        runtime.cudaStreamDestroy(runtime.cudaStreamCreate()[1])
        driver.cuMemGetAddressRange(memory)
        driver.cuDeviceGet(99)
        runtime.cudaGetDeviceProperties(0)
        runtime.cudaPointerGetAttributes(memory)
        for given in ((watched[0], 1), (None, ctypes.c_int)), ((own, 1), (None, ctypes.c_int)), ((1, 2), ()), bytes(16), 5.0:
            try:
                driver.cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, stream, given, 0)
            except TypeError:
                pass
        try:
            runtime.cudaStreamQuery("x")
        except TypeError:
            pass

calls(10)
gc.collect()
before, blocks = [sys.getrefcount(one) for one in watched], sys.getallocatedblocks()
calls(2000)
gc.collect()
after, more = [sys.getrefcount(one) for one in watched], sys.getallocatedblocks()
assert [b - a for a, b in zip(before, after)] == [0] * len(watched), (before, after)
assert more - blocks < 200, more - blocks
print("kept nothing")
"""
    done = subprocess.run(
        [sys.executable, "-c", program.replace("COMPILED", str(compiled))],
        cwd=environments.ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "kept nothing\n"
