"""Warp shuffles: which lane is read, in every form of a kernel, as an NVIDIA H100 with CUDA 13 read it."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterable

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import Kernels, Module, forms

FARS = (0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 40, 63, 64, -1, -2)
WIDTHS = (32, 8)
#: Values that lanes 0 to 7 of 32 read on the H100.
RECORDED = {
    ("down", 33): [1, 2, 3, 4, 5, 6, 7, 8], ("up", 33): [0, 0, 1, 2, 3, 4, 5, 6], ("xor", 33): [1, 0, 3, 2, 5, 4, 7, 6],
    ("down", 40): [8, 9, 10, 11, 12, 13, 14, 15], ("up", 40): [0, 1, 2, 3, 4, 5, 6, 7],
    ("xor", 40): [8, 9, 10, 11, 12, 13, 14, 15], ("down", 64): [0, 1, 2, 3, 4, 5, 6, 7],
    ("down", -1): [31, 1, 2, 3, 4, 5, 6, 7], ("xor", -1): [31, 30, 29, 28, 27, 26, 25, 24],
    ("down", -2): [30, 31, 2, 3, 4, 5, 6, 7], ("up", -2): [0, 1, 2, 3, 4, 5, 6, 7],
    ("xor", -2): [30, 31, 28, 29, 26, 27, 24, 25], ("xor", 7): [7, 6, 5, 4, 3, 2, 1, 0],
}  # fmt: skip
#: How a value is made of the thread's number, and the number of it.
TYPES = {
    "int": ("t", "v"),
    "double": ("(double)t", "v"),
    "float": ("(float)t", "v"),
    "half": ("__ushort_as_half((unsigned short)t)", "__half_as_ushort(v)"),
    "uchar": ("(uchar)t", "v"),
    "float4": ("make_float4(1, 2, t, 3)", "v.z"),
}
ON_FIBRES = ("int", "float4")
DIRECTIONS = {"down": "_down", "up": "_up", "xor": "_xor", "indexed": ""}
# A distance that is uniform, as hiprtc can see; and one that hiprtc cannot know.
HOW_FAR = {"alike": "far", "own": "fars[0]"}


def kernel(direction: str, type_: str, how_far: str) -> str:
    value, number = TYPES[type_]
    return f"""extern "C" __global__ void {direction}_{type_}_{how_far}(int* out, const int* fars, int far, int width) {{
        const int t = threadIdx.x;
        {type_} v = {value};
        v = __shfl{DIRECTIONS[direction]}_sync(~0ull, v, {HOW_FAR[how_far]}, width);
        out[t] = (int){number};
    }}"""


def program(types: Iterable[str]) -> str:
    return "#include <cuda_fp16.h>\n" + "\n".join(
        itertools.starmap(kernel, itertools.product(DIRECTIONS, types, HOW_FAR))
    )


@pytest.fixture(scope="module")
def shuffles(programs: Kernels) -> Module:
    compiled = programs.compile(program(TYPES))
    assert set(forms(compiled).values()) == {(True, True)}
    return Module(programs.hip, compiled)


@pytest.fixture(scope="module")
def fibres(programs: Kernels) -> Module:
    """The same kernels, with their threads on fibres."""
    return programs.load(program(ON_FIBRES), "--cuda-shim-split=0", "-O1")


def source_lane(direction: str, lane: int, far: int, width: int) -> int:
    """PTX's rule: the last five bits count, and outside of the segment each lane reads itself."""
    first, far = lane & ~(width - 1), far & 31
    if direction == "indexed":
        return first | (far & (width - 1))
    source = {"down": lane + far, "up": lane - far, "xor": lane ^ far}[direction]
    inside = source >= first if direction == "up" else source < first + width
    return source if inside else lane


def read(module: Module, name: str, threads: int, far: int, width: int) -> list[int]:
    out = np.full(threads, -1, np.int32)
    module.launch(name, 1, threads, out, np.array([far], np.int32), ctypes.c_int(far), ctypes.c_int(width))
    return [int(number) for number in out]


@pytest.mark.parametrize("how_far", HOW_FAR)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_lane_that_is_read(shuffles: Module, fibres: Module, direction: str, how_far: str) -> None:
    for type_, far, width in itertools.product(TYPES, FARS, WIDTHS):
        name = f"{direction}_{type_}_{how_far}"
        expected = [t // 32 * 32 + source_lane(direction, t % 32, far, width) for t in range(96)]
        assert read(shuffles, name, 96, far, width) == expected, (type_, far, width)
        if type_ in ON_FIBRES:
            assert read(fibres, name, 96, far, width) == expected, (type_, far, width)


@pytest.mark.parametrize(("direction", "far"), RECORDED)
def test_as_recorded(shuffles: Module, fibres: Module, direction: str, far: int) -> None:
    for module, how_far in itertools.product((shuffles, fibres), HOW_FAR):
        assert read(module, f"{direction}_int_{how_far}", 32, far, 32)[:8] == RECORDED[direction, far]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_lanes_that_are_not_there_are_not_read(shuffles: Module, direction: str) -> None:
    """The last warp of 40 threads has eight."""
    for how_far, far in itertools.product(HOW_FAR, (1, 4, 8, 16, 31)):
        found = read(shuffles, f"{direction}_int_{how_far}", 40, far, 32)
        wanted = [t // 32 * 32 + source_lane(direction, t % 32, far, 32) for t in range(40)]
        assert found == [source if source < 40 else t for t, source in enumerate(wanted)]


RUNS = """extern "C" __global__ void k(int* out, long long* wide, int n, int far) {
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int v = t * t % 89;
    double sum = t, a = 0, b = 0, c = 0;
    long long held = 0;
    for (int k = 0; k < far * 8; k++) a += k * t, b += k - t, c += a - b;  // no shuffle: it runs in groups of its own
    sum += __shfl_xor_sync(~0u, a + b - c, 1);
    if (t < n) {
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        v = v * 3 + __shfl_up_sync(~0u, v, 1);
        held = v;
        v ^= __shfl_xor_sync(~0u, v + 1, far, 16) + __shfl_sync(~0u, __shfl_down_sync(~0u, v, 8, 16), 3);
    }
    __syncthreads();
    for (int d = 1; d < 32; d *= 2) {
        double before = __shfl_up_sync(~0u, sum, d), twice = 2 * before;
        if ((t & 31) >= d) sum += before;
        sum += __shfl_xor_sync(~0u, twice, d) / 4;
    }
    out[t] = v;
    wide[t] = held + (long long)sum;
}"""


@pytest.mark.parametrize(
    "block", [(64, 1, 1), (256, 1, 1), (32, 3, 1), (96, 1, 2), (16, 4, 1), (48, 2, 1), (40, 1, 1), (8, 8, 2)]
)
def test_runs_of_shuffles(programs: Kernels, block: tuple[int, int, int]) -> None:
    """Blocks of whole warps, of warps over several rows, and with a part of one, under a guard for some of the warps."""
    compiled = programs.compile(RUNS)
    assert set(forms(compiled).values()) == {(True, True)}
    modules = (Module(programs.hip, compiled), programs.load(RUNS, "--cuda-shim-split=0", "-O1"))
    threads = block[0] * block[1] * block[2]
    for n, far in itertools.product((0, 32, 64, threads), (1, 5, 8, 16)):
        results = []
        for module in modules:
            out, wide = np.zeros(threads, np.int32), np.zeros(threads, np.int64)
            module.launch("k", 1, block, out, wide, ctypes.c_int(n), ctypes.c_int(far))
            results.append((out.tolist(), wide.tolist()))
        assert results[0] == results[1], (n, far)
