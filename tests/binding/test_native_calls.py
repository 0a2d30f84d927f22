"""Calls through the compiled library answer as calls through Python: the same statuses, objects and errors."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cuda_shim import settings
from cuda_shim.backends.cpu import compilers
from cuda_shim.binding.native_calls.build import ensure_library
from cuda_shim.errors import BackendNotFound
from tests import environments

PROGRAM = r"""
import ctypes, itertools, json, re, sys
import cuda_shim
cuda_shim.enable(backend="cpu", cuda="LAYOUT", compiled_calls=COMPILED, quiet=True)
from cuda.bindings import driver, runtime

def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None

class Number:
    def __index__(self):
        return 1
    def __int__(self):
        return 1

class Counted(int):
    pass

def shown(function, arguments):
    try:
        answer = function(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return repr([(type(one).__module__, type(one).__name__, re.sub("0x[0-9a-f]+|[0-9]{9,}", "#", str(one))) for one in answer])

ok(runtime.cudaFree(0))
stream, event, memory = ok(runtime.cudaStreamCreate()), ok(runtime.cudaEventCreate()), ok(runtime.cudaMalloc(4096))
own = driver.CUstream(int(stream))
own.getPtr()  # it has memory of its own now
kind = runtime.cudaMemcpyKind
anything = [
    runtime.cudaStream_t(int(stream)), None, 0, 1, -1, 5, True, 1.5, "text", b"bytes", bytearray(b"1234"), bytearray(), Number(), Counted(1), 1 << 31, 1 << 40,
    1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63), [1], object, stream, own, event, driver.CUdevice(0), driver.CUdeviceptr(memory),
    kind.cudaMemcpyHostToDevice, kind.cudaMemcpyDefault, driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE,
]
# Numbers that are taken for addresses of objects would be used as such.
safe = [one for one in anything if not (isinstance(one, (int, Number)) and int(one)) or isinstance(one, driver.CUstream)]
found = []
for function, one_by_one in (
    (runtime.cudaGetDevice, []), (runtime.cudaGetLastError, []), (driver.cuDeviceGet, [anything]),
    (driver.cuDeviceTotalMem, [anything]), (driver.cuDeviceGetName, [[0, 16, -1, None], anything]),
    (runtime.cudaSetDevice, [anything]), (runtime.cudaMallocHost, [[0, 64, -1, None, "x", 1 << 64]]),
    (runtime.cudaStreamCreateWithPriority, [[0, 1, 77, -1, None], [0, -1, 1 << 40, None]]),
    (runtime.cudaStreamQuery, [safe]), (runtime.cudaEventRecord, [[event, None, "x"], safe]),
    (runtime.cudaStreamWaitEvent, [[stream, own], [event, "x", None], anything]),
    (driver.cuStreamGetFlags, [safe]), (driver.cuMemGetAddressRange, [[driver.CUdeviceptr(memory), memory, None, 1.5, 77]]),
    (runtime.cudaMemcpy, [[memory, None, "x"], [b"1234", bytearray(b"1234"), None, 1.5, "x"], [0, 4, -1, None], [
        kind.cudaMemcpyHostToDevice, 1, 99, None, "x", -1, 1 << 40, driver.CUresult.CUDA_SUCCESS]]),
    (driver.cuMemAlloc, [[0, 64, 1 << 62, -1, "x", None]]),
    (driver.cuDeviceGetAttribute, [anything, [0, driver.CUdevice(0), 99, None]]),
    (driver.cuCtxGetCurrent, []), (driver.cuMemsetD8, [[driver.CUdeviceptr(memory), memory, "x"], [1, 255, 256, -1], [0, 8, -1]]),
    (driver.cuFuncGetAttribute, [[driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, 99, None], [0, None, "x"]]),
    (driver.cuLaunchKernel, [[None, "x"], *[[1, -1]] * 2, *[[1]] * 5, [stream, None], [0, None, -1], [0, None]]),
):
    for arguments in itertools.product(*one_by_one):
        found.append(f"{function.__name__}{arguments!r}"[:80] + " " + shown(function, arguments))
    try:
        function(*[0] * 15)
    except TypeError as error:
        found.append(str(error))
resized = bytearray(64)
ok(runtime.cudaMemcpy(memory, resized, 64, kind.cudaMemcpyHostToDevice))
resized.append(1)  # nobody holds its memory any more
library = bool(re.search("/calls/[0-9a-f]{8}-.*/calls.so", open("/proc/self/maps").read()))
print(json.dumps([library, [re.sub("0x[0-9a-f]+|[0-9]{9,}", "#", line) for line in found]]))
"""


def answers(layout: str, compiled: bool) -> tuple[bool, list[str]]:
    import json

    text = PROGRAM.replace("LAYOUT", layout).replace("COMPILED", str(compiled))
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=environments.ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    library, found = json.loads(done.stdout)
    return library, found


@pytest.mark.parametrize("layout", ["11.8", "12.9", "13.5"])
def test_whatever_is_given_the_answer_is_the_same(layout):
    through_python, expected = answers(layout, False)
    through_c, found = answers(layout, True)
    assert (through_python, through_c) == (False, True)
    assert len(found) > 400
    assert found == expected


def test_without_a_compiler_calls_go_through_python(monkeypatch, tmp_path):
    def none(_: object) -> None:
        raise BackendNotFound("no compiler")

    monkeypatch.setattr(compilers, "find_builder", none)
    with pytest.raises(BackendNotFound, match="no compiler"):
        ensure_library(settings.current())


@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_is_kept_of_a_call(compiled):
    program = """
import cuda_shim, gc, sys
cuda_shim.enable(backend="cpu", compiled_calls=COMPILED, quiet=True)
from cuda.bindings import driver, runtime
runtime.cudaFree(0)
stream, memory = runtime.cudaStreamCreate()[1], runtime.cudaMalloc(64)[1]
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
