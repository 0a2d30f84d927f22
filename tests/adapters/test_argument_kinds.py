"""Arguments of kinds that C would take for something else: each is refused or served, and nothing else is written."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest

from tests.adapters.answers import ok, raising

LAYOUT = "13.5"
SOURCE = b'extern "C" __global__ void k() {}'


class Own(bytes):
    """A program's own class of bytes."""


def test_code_is_written_into_bytes_of_a_programs_own_class(cuda: Any) -> None:
    """As far as the buffer goes, which may be shorter than the code."""
    nvrtc = cuda.nvrtc
    program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    size = ok(nvrtc.nvrtcGetCUBINSize(program))
    plain, own, short = bytes(size), Own(size), Own(4)
    for buffer in (plain, own, short):
        ok(nvrtc.nvrtcGetCUBIN(program, buffer))
    assert own == plain
    assert (len(short), short) == (4, plain[:4])
    ok(nvrtc.nvrtcDestroyProgram(program))


def test_logs_are_written_into_what_a_program_gives(cuda: Any) -> None:
    nvrtc = cuda.nvrtc
    program = ok(nvrtc.nvrtcCreateProgram(b"void f() { foo; }", b"k.cu", 0, [], []))
    assert nvrtc.nvrtcCompileProgram(program, 0, [])[0].name == "NVRTC_ERROR_COMPILATION"
    size = ok(nvrtc.nvrtcGetProgramLogSize(program))
    for buffer in (bytes(size), bytearray(size), Own(size)):
        ok(nvrtc.nvrtcGetProgramLog(program, buffer))
        assert b"foo" in buffer, type(buffer)
    ok(nvrtc.nvrtcDestroyProgram(program))


def test_names_are_added_while_there_is_a_program(cuda: Any) -> None:
    nvrtc = cuda.nvrtc
    program = ok(nvrtc.nvrtcCreateProgram(b"template <class T> __global__ void k(T) {}", b"k.cu", 0, [], []))
    for name in (b"k<int>", Own(b"k<long>"), bytearray(b"k<char>")):
        ok(nvrtc.nvrtcAddNameExpression(program, name))
    with raising(TypeError, "expected bytes, NoneType found"):
        nvrtc.nvrtcAddNameExpression(program, None)
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    assert ok(nvrtc.nvrtcGetLoweredName(program, b"k<long>")) == ok(nvrtc.nvrtcGetLoweredName(program, Own(b"k<long>")))
    ok(nvrtc.nvrtcDestroyProgram(program))
    assert int(nvrtc.nvrtcAddNameExpression(program, b"k<int>")[0]) != 0


@pytest.mark.parametrize("name", ["CUgraphNodeParams", "CUDA_TEXTURE_DESC", "CUlaunchConfig"])
def test_a_struct_is_no_constant(cuda: Any, name: str) -> None:
    for cls in (cuda.runtime.cudaGPUDirectRDMAWritesOrdering, cuda.driver.CUresult):
        with pytest.raises(ValueError, match=f"is not a valid {cls.__name__}"):
            cls(getattr(cuda.driver, name)())


def test_descriptions_filled_at_random_are_read_and_refused(cuda: Any) -> None:
    driver, numbers = cuda.driver, random.Random(8)  # noqa: S311 (the sequence must be reproducible)
    shape = driver.CUDA_ARRAY3D_DESCRIPTOR()
    shape.Width, shape.Height, shape.NumChannels = 8, 8, 1
    shape.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
    array, resource = ok(driver.cuArray3DCreate(shape)), driver.CUDA_RESOURCE_DESC()
    resource.resType, resource.res.array.hArray = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY, array
    statuses = set()
    for _ in range(300):
        description = driver.CUDA_TEXTURE_DESC()
        ctypes.memmove(description.getPtr(), numbers.randbytes(64), 64)
        assert "addressMode" in str(description)
        statuses.add(int(driver.cuTexObjectCreate(resource, description, None)[0]))
    assert statuses == {1}
    ok(driver.cuArrayDestroy(array))


@pytest.mark.parametrize("count", [1, 256777518, (1 << 64) - 1])
def test_counts_above_the_lists_of_a_call(cuda: Any, count: int) -> None:
    with raising(RuntimeError, f"List is too small: 0 < {count}"):
        cuda.runtime.cudaMemDiscardBatchAsync([], [], count, 0, 0)
