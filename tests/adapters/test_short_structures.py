"""Kernel parameters whose ctypes structure is shorter than the kernel's type."""

import ctypes

import pytest

from tests.adapters.answers import ok
from tests.adapters.kernels import compile_code, loaded_function

SOURCE = b"""
struct Nothing {};
struct alignas(16) Wide { float x, y, z; };
struct alignas(64) Line { int first; };
struct Tail { double x; int n; };
struct WithNothing { int n; Nothing nothing; };
struct Pair { double x, y, z; };
extern "C" {
__global__ void functor(int *out, Nothing nothing, int value) { *out = value; }
__global__ void wide(int *out, Wide given) { *out = given.x + given.y + given.z; }
__global__ void line(int *out, Line given) { *out = given.first; }
__global__ void tail(int *out, Tail given) { *out = given.x + given.n; }
__global__ void with_nothing(int *out, int before, WithNothing given) { *out = before + given.n; }
__global__ void three(int *out, Pair given) { *out = given.x + given.y + given.z; }
}
"""


def structure(*types, packed=False):
    fields = [(f"member_{index}", kind) for index, kind in enumerate(types)]
    return type(
        "Given", (ctypes.Structure,), {**({"_pack_": 1, "_layout_": "ms"} if packed else {}), "_fields_": fields}
    )


EMPTY = structure()
FLOATS = structure(*[ctypes.c_float] * 3)
ONE = structure(ctypes.c_int)
PACKED = structure(ctypes.c_double, ctypes.c_int, packed=True)
DOUBLE = structure(ctypes.c_double)


@pytest.fixture(scope="module")
def code(cuda):
    return compile_code(cuda.nvrtc, SOURCE)


@pytest.fixture
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(4))
    ok(cuda.driver.cuMemsetD32(pointer, 0, 1))
    yield pointer
    ok(cuda.driver.cuMemFree(pointer))


def launch(cuda, code, name, memory, values, types, extended):
    parameters = ((memory, *values), (None, *types))
    with loaded_function(cuda, name, code) as function:
        if extended:
            config = cuda.driver.CUlaunchConfig()
            for axis in ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ"):
                setattr(config, axis, 1)
            status = cuda.driver.cuLaunchKernelEx(config, function, parameters, 0)[0]
        else:
            status = cuda.driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0)[0]
        ok(cuda.driver.cuCtxSynchronize())
    host = ctypes.c_int()
    ok(cuda.driver.cuMemcpyDtoH(ctypes.addressof(host), memory, 4))
    return status, host.value


@pytest.mark.parametrize("extended", [False, True], ids=["cuLaunchKernel", "cuLaunchKernelEx"])
@pytest.mark.parametrize(
    ("name", "values", "types", "expected"),
    [
        (b"functor", (EMPTY(), 7), (None, ctypes.c_int), 7),
        (b"wide", (FLOATS(1, 2, 4),), (None,), 7),
        (b"line", (ONE(7),), (None,), 7),
        (b"tail", (PACKED(3, 4),), (None,), 7),
        (b"with_nothing", (3, ONE(4)), (ctypes.c_int, None), 7),
    ],
    ids=["empty functor", "alignas(16)", "alignas(64)", "packed", "empty member"],
)
def test_the_rest_is_padding(cuda, code, memory, name, values, types, expected, extended):
    for _ in range(2):  # the second launch may take another way
        assert launch(cuda, code, name, memory, values, types, extended) == (0, expected)


@pytest.mark.parametrize("extended", [False, True], ids=["cuLaunchKernel", "cuLaunchKernelEx"])
def test_missing_members_are_refused_and_the_log_says_so(cuda, code, memory, caplog, extended):
    """A GPU would read the memory behind the structure."""
    assert launch(cuda, code, b"three", memory, (DOUBLE(1),), (None,), extended) == (1, 0)
    (line,) = caplog.messages
    assert "parameter 1 has 24 bytes, the ctypes structure for it 8" in line
