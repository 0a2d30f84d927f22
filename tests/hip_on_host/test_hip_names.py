"""Names of HIP that kernels may use without including anything, and HIP's own launches."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check
from tests.hip_on_host.hiprtc_program import Kernels
from tests.hip_on_host.kernel_modules import compile_module


def run(programs: Kernels, body: str, count: int, kind: Any, before: str = "") -> np.ndarray:
    names: dict[Any, str] = {np.float32: "float", np.int32: "int"}
    source = f'{before}\nextern "C" __global__ void k({names[kind]}* out) {{ {body} }}'
    out = np.zeros(count, kind)
    programs.load(source).launch("k", 1, 1, out)
    return out


def test_numbers_of_half_the_width(programs: Kernels) -> None:
    body = """__half h = __float2half(1.5f); out[0] = __half2float(__hadd(h, h));
        hip_bfloat16 b(2.5f); out[1] = (float)(b * b); out[2] = b.data == 0x4020;"""
    assert run(programs, body, 3, np.float32).tolist() == [3, 6.25, 1]


def test_complex_numbers(programs: Kernels) -> None:
    body = """hipFloatComplex z = make_hipFloatComplex(3, 4); out[0] = hipCabsf(z); out[1] = hipCmulf(z, z).x;
        hipDoubleComplex w = make_hipDoubleComplex(1, 2); out[2] = (float)hipCimag(hipConj(w));"""
    assert run(programs, body, 3, np.float32).tolist() == [5, -7, -2]


def test_constants(programs: Kernels) -> None:
    body = "out[0] = HIP_PI_F; out[1] = HIP_INF_F; out[2] = HIP_SQRT_TWO_F; out[3] = (float)HIP_PI;"
    pi, root = np.float32(np.pi), np.float32(np.sqrt(2))
    np.testing.assert_array_equal(run(programs, body, 4, np.float32), np.array([pi, np.inf, root, pi], np.float32))


def test_operators_of_vectors_of_whole_numbers(programs: Kernels) -> None:
    body = """char1 a = make_char1(100), b = make_char1(7);
        a++; ++a; --a; out[0] = a.x; out[1] = (a % b).x; out[2] = (a & b).x; out[3] = (a | b).x; out[4] = (a ^ b).x;
        out[5] = (b << make_char1(2)).x; out[6] = (a >> make_char1(3)).x; out[7] = (~b).x; out[8] = (b--).x; out[9] = b.x;
        uint4 c = make_uint4(1, 2, 3, 4); c <<= 2u; c %= make_uint4(3, 3, 5, 5); out[10] = c.x + 10 * c.y + 100 * c.z;"""
    a, b = 101, 7
    wanted = [a, a % b, a & b, a | b, a ^ b, b << 2, a >> 3, ~b, b, b - 1, 1 + 10 * 2 + 100 * 2]
    assert run(programs, body, 11, np.int32).tolist() == wanted


def test_fields_of_bits(programs: Kernels) -> None:
    body = """out[0] = __bitextract_u32(0xabcd1234u, 8, 12); out[1] = __bitextract_u32(0xffffffffu, 3, 0);
        out[2] = __bitinsert_u32(0xffffffffu, 5, 8, 4); out[3] = (int)__bitextract_u64(0x123456789abcdef0ull, 36, 16);
        out[4] = (int)(__bitinsert_u64(0, 0x7full, 40, 4) >> 40);"""
    wanted = [(0xABCD1234 >> 8) & 0xFFF, 0, 0xFFFFF5FF - 2**32, (0x123456789ABCDEF0 >> 36) & 0xFFFF, 15]
    assert run(programs, body, 5, np.int32).tolist() == wanted


def test_words_of_the_host(programs: Kernels) -> None:
    body = """hipTextureReadMode mode = hipReadModeNormalizedFloat; hipExtent extent = make_hipExtent(1, 2, 3);
        hipPos pos{4, 5, 6}; out[0] = mode; out[1] = (int)extent.depth; out[2] = (int)pos.x;"""
    assert run(programs, body, 3, np.int32).tolist() == [1, 3, 4]


@pytest.mark.parametrize(
    "before",
    ["struct __half { int own; };", "struct __attribute__((aligned(4))) __half { int own; };", "using __half = int;"],
)
def test_a_program_has_its_own_type_of_that_name(programs: Kernels, before: str) -> None:
    assert run(programs, "__half mine{7}; out[0] = *(int*)&mine;", 1, np.int32, before).tolist() == [7]


def test_headers_stand_beside_the_names(programs: Kernels) -> None:
    includes = "#include <hip/hip_fp16.h>\n#include <hip/hip_bfloat16.h>\n#include <hip/hip_complex.h>"
    body = "out[0] = __half2float(__float2half(2)) + (float)hip_bfloat16(1.0f) + hipCrealf(make_hipFloatComplex(4, 0));"
    assert run(programs, body, 1, np.float32, includes).tolist() == [7]


@pytest.mark.parametrize("function", ["hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel"])
def test_launches_by_the_number_of_threads(hip, library, kernels, function):
    module = kernels.load(compile_module("basic"))
    out, start, stop = kernels.device(np.zeros(8 * 12, "u4")), ctypes.c_void_p(), ctypes.c_void_p()
    for event in (start, stop):
        assert library.hipEventCreate(ctypes.byref(event)) == 0
    geometry = ctypes.c_void_p(int(kernels.function(module, "geometry")))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    more = [ctypes.c_uint32(0)] if "Ext" in function else []

    def launch(*sizes):
        given = [ctypes.c_uint32(size) for size in sizes]
        events = ctypes.c_size_t(0), None, parameters, None, start, stop
        return getattr(library, function)(geometry, *given, *events, *more)

    assert launch(6, 2, 1, 3, 2, 1) == 0
    assert library.hipEventSynchronize(stop) == 0
    time = ctypes.c_float(-1)
    assert library.hipEventElapsedTime(ctypes.byref(time), start, stop) == 0
    assert time.value >= 0
    got = kernels.fetch(out, np.zeros((12, 8), "u4"))
    assert (got[:, :6] == [2, 1, 1, 3, 2, 1]).all()
    assert launch(7, 2, 1, 3, 2, 1) == 1  # no whole number of blocks
    assert launch(6, 2, 1, 0, 2, 1) == 1
    for event in (start, stop):
        assert library.hipEventDestroy(event) == 0
    check(hip.hipFree(out.value))


def test_calls_have_names(library):
    """Profilers ask for them by the numbers of ROCm's hip_prof_str.h; a number without a call is unknown."""
    library.hipApiName.restype = ctypes.c_char_p

    def name(number: int) -> bytes:
        return library.hipApiName(ctypes.c_uint32(number))

    numbers = {
        1: b"__hipPopCallConfiguration", 54: b"hipEventCreate", 107: b"hipLaunchKernel", 125: b"hipMemcpy",
        169: b"hipModuleLaunchKernel", 215: b"hipGraphLaunch", 307: b"hipMallocAsync", 370: b"hipGetDevicePropertiesR0600",
        408: b"hipStreamBatchMemOp", 445: b"hipStreamCopyAttributes", 460: b"hipMemPrefetchBatchAsync",
    }  # fmt: skip
    assert {number: name(number) for number in numbers} == numbers
    assert {name(number) for number in (0, 50, 82, 83, 185, 296, *range(393, 400), 407, 461, 2**32 - 1)} == {b"unknown"}
    named = [name(number) for number in range(461) if name(number) != b"unknown"]
    assert len(named) == len(set(named)) == 447
    # This library has all of these functions but seven, of CUDA's launch syntax, of older structs and of OpenGL.
    missing = [one for one in named if not hasattr(library, one.decode())]
    assert missing == [
        b"__hipPopCallConfiguration", b"__hipPushCallConfiguration", b"hipChooseDeviceR0000",
        b"hipGetDevicePropertiesR0000", b"hipGLGetDevices", b"hipGraphicsGLRegisterBuffer", b"hipGraphicsGLRegisterImage",
    ]  # fmt: skip
