"""Loops over threads that are written another way for speed: a few threads at a time, and many blocks together."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.benchmarks.speed import contenders
from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels
from tests.program_files import read_program

SUMS = read_program(__file__, "thread_loops_sums.cu")


@pytest.mark.parametrize("block", [(64, 1, 1), (100, 1, 1), (5, 1, 1), (17, 3, 2), (16, 8, 1)])
def test_sums_that_threads_keep(programs: Kernels, block: tuple[int, int, int]) -> None:
    """Rows of threads need not be as long as a strip, and a count of the block is made once."""
    threads, n = block[0] * block[1] * block[2], 128
    values = np.random.default_rng(3).integers(-8, 8, (max(2 * threads, n), 4)).astype(np.float32)
    out, rounds = np.zeros((2 * threads, 4), np.float32), np.zeros(2, np.int32)
    programs.load(SUMS).launch("sums", 2, block, values, out, rounds, ctypes.c_int(n))
    me, k = values[: 2 * threads], np.arange(64)
    seen, times = values[:n], n // 64
    expected = np.stack(
        [
            seen[:, 0].sum() - n * me[:, 0] + times * n,
            seen[:, 1].sum() * me[:, 1] + times * 2 * n,
            seen[:, 2].sum() + times * k.sum() * me[:, 3] + times * (n * (n - 1) // 2),
            me[:, 3],
        ],
        axis=1,
    )
    np.testing.assert_allclose(out, expected, rtol=1e-4)
    assert rounds.tolist() == [times * n] * 2


STRIDED = {
    "one loop": "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i] + y[i];",
    "a stride with a name": (
        "const int across = blockDim.x * gridDim.x;"
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += across) { float v = x[i]; y[i] = 2 * v + y[i]; }"
    ),
    "an index before": (
        "int first = blockIdx.x * blockDim.x + threadIdx.x;"
        "for (int i = first; i < n; i += blockDim.x * gridDim.x) y[i] += x[i];"
        "for (int i = first; i < n; i += blockDim.x * gridDim.x) y[i] += x[i];"
    ),
}


@hiprtc_program.needs_reader
@pytest.mark.parametrize("shape", STRIDED)
@pytest.mark.parametrize(("grid", "n"), [(1, 7), (64, 100_003), (1000, 999), (200, 1 << 20)])
def test_blocks_of_a_grid_stride_loop_run_together(programs: Kernels, shape: str, grid: int, n: int) -> None:
    compiled = programs.compile(
        'extern "C" __global__ void k(const float* x, float* y, int n) {' + STRIDED[shape] + "}"
    )
    assert hiprtc_program.rows(compiled)["k"].whole_runs == 1
    x, y = np.arange(n, dtype=np.float32), np.full(n, 3, np.float32)
    hiprtc_program.Module(programs.hip, compiled).launch("k", grid, 96, x, y, ctypes.c_int(n))
    np.testing.assert_array_equal(y, 2 * x + 3)


@hiprtc_program.needs_reader
def test_blocks_of_two_dimensions_run_together(programs: Kernels) -> None:
    source = """extern "C" __global__ void k(int* out, int n) {
        const int rows = gridDim.y * blockDim.y;
        for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < n; y += rows)
            out[y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] += y * 1000 + blockIdx.x;
    }"""
    compiled = programs.compile(source)
    assert hiprtc_program.rows(compiled)["k"].whole_runs == 1
    out = np.zeros((50, 3 * 8), np.int32)
    hiprtc_program.Module(programs.hip, compiled).launch("k", (3, 5, 1), (8, 4, 1), out, ctypes.c_int(50))
    np.testing.assert_array_equal(out, np.arange(50)[:, None] * 1000 + np.arange(24)[None, :] // 8)


#: Loops that are the same for all threads, whose accesses move with them, over planes of `size` elements.
PLANES = {
    "one loop": "for (int z = 1; z < n - 1; z++) { int at = z * size + i; out[at] += x[at - size] + x[at + size]; }",
    "a sum inside": "for (int z = 1; z < n - 1; z++) { int v = 0; for (int d = -1; d <= 1; d += 2) v += x[(z + d) * size + i]; out[z * size + i] += v; }",
    "backwards": "for (int z = n - 2; z > 0; z--) out[z * size + i] += x[(z - 1) * size + i] + x[(z + 1) * size + i];",
    "an earlier element": "for (int z = 1; z < n - 1; z++) { out[z * size + i] += x[(z - 1) * size + i]; out[z * size + i] += x[(z + 1) * size + i]; }",
}


@hiprtc_program.needs_reader
@pytest.mark.parametrize("shape", PLANES)
def test_blocks_of_a_loop_over_planes_run_together(programs: Kernels, shape: str) -> None:
    """More blocks than one part of a run has, the last of which has threads behind the end."""
    compiled = programs.compile(
        'extern "C" __global__ void k(const int* x, int* out, int size, int n) {'
        "const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 3 || i >= size - 2) return;" + PLANES[shape] + "}"
    )
    assert hiprtc_program.rows(compiled)["k"].whole_runs == 1
    loaded = hiprtc_program.Module(programs.hip, compiled)
    for size, n in ((64 * 75 - 7, 6), (40, 4), (1000, 2)):
        x = np.random.default_rng(6).integers(0, 1000, (n, size)).astype(np.int32)
        out = np.ones_like(x)
        loaded.launch("k", -(-size // 64), 64, x, out, ctypes.c_int(size), ctypes.c_int(n))
        expected = np.ones_like(x)
        expected[1:-1, 3:-2] += x[:-2, 3:-2] + x[2:, 3:-2]
        np.testing.assert_array_equal(out, expected)


APART = {
    "shared memory": (
        "__shared__ int last;",
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { last = i; out[i] = last; }",
    ),
    "a value of the block": (
        "",
        "int part = blockIdx.x / 2; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = i + part - part;",
    ),
    "a sum of the thread": (
        "",
        "int sum = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { sum += i; out[i] = i; } if (sum < 0) out[0] = 1;",
    ),
}


@pytest.mark.parametrize("reason", APART)
def test_blocks_that_keep_something_run_one_after_the_other(programs: Kernels, reason: str) -> None:
    before, body = APART[reason]
    compiled = programs.compile(f'{before}\nextern "C" __global__ void k(int* out, int n) {{ {body} }}')
    assert hiprtc_program.rows(compiled)["k"].whole_runs == 0
    out = np.zeros(5000, np.int32)
    hiprtc_program.Module(programs.hip, compiled).launch("k", 20, 64, out, ctypes.c_int(5000))
    np.testing.assert_array_equal(out, np.arange(5000))


#: Uniform loops over memory that one block after the other finds in the cache, or that is not known to move.
STAYING = {
    "a place that stays": (
        "const int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "for (int z = 0; z < n; z++) if (z < 1) out[i] = i; else out[i] = out[i];"
    ),
    "iterations of the block": (
        "const int i = threadIdx.x; for (int z = blockIdx.x; z < blockIdx.x + 1; z++) out[z * 64 + i] = z * 64 + i;"
    ),
    "a place behind a pointer": (
        "const int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "for (int z = 0; z < n / 1280; z++) *(out + z * 1280 + i) = z * 1280 + i;"
    ),
}


@pytest.mark.parametrize("reason", STAYING)
def test_blocks_of_other_uniform_loops_run_one_after_the_other(programs: Kernels, reason: str) -> None:
    compiled = programs.compile(f'extern "C" __global__ void k(int* out, int n) {{ {STAYING[reason]} }}')
    assert hiprtc_program.rows(compiled)["k"].whole_runs == 0
    out = np.zeros(1280, np.int32)
    hiprtc_program.Module(programs.hip, compiled).launch("k", 20, 64, out, ctypes.c_int(1280))
    np.testing.assert_array_equal(out, np.arange(1280))


#: Uniform loops with short loops inside; and inner loops that threads leave or skip parts of, with values that are
#: kept.
NESTS = read_program(__file__, "thread_loops_nests.cu")


def test_loops_with_short_loops_inside(programs: Kernels, form: str) -> None:
    n = 21
    values = np.random.default_rng(4).integers(-99, 99, (n, n, n)).astype(np.int32)
    out, expected = np.zeros_like(values), np.zeros_like(values)
    module = programs.load(NESTS, form)
    module.launch("stencil", (3, 6, 1), (8, 4, 1), values, out, ctypes.c_int(n))
    inner = (slice(2, -2),) * 3
    expected[inner] = values[inner]
    for axis in range(3):
        for d in (1, 2):
            expected[inner] += d * (np.roll(values, d, axis) + np.roll(values, -d, axis))[inner]
    np.testing.assert_array_equal(out, expected)


def test_short_loops_inside_that_threads_leave(programs: Kernels, form: str) -> None:
    n = 21
    values = np.random.default_rng(5).integers(0, 99, n).astype(np.int32)
    out, expected = np.zeros(n * n, np.int32), np.zeros(n * n, np.int32)
    for x in range(n * n):
        last = most = 0
        for value in values.tolist():
            digits = 0
            for d in range(4):
                if (value + x) >> d & 1:
                    continue
                if d == x % 5:
                    break
                digits += d + last
            last, most = digits % 7, max(digits, most)
        expected[x] = most * 10 + last
    programs.load(NESTS, form).launch("kept", 7, 64, values, out, ctypes.c_int(n))
    np.testing.assert_array_equal(out, expected)


#: Loops that are tested last, as compilers leave them: with conditions that are uniform, divergent, and nested.
TESTED_LAST = {
    "by the block": "int k = 0; do { sum += in[k] * (t + 1); k += 3; } while (k < n);",
    "one round": "int k = n; do { sum += in[k - 1] + t; k += 3; } while (k < n);",
    "downwards": "int k = n; do { --k; sum = sum * 3 + in[k]; } while (k != 0);",
    "by each thread": "int k = t % 5; do { sum += in[k] * 2 + k; k += 1 + t % 3; } while (k < n);",
    "in a branch": "if (t % 3 == 1) { int k = 0; do { sum += in[k] + t; ++k; } while (k < n); }",
    "in a loop": "int j = 0; do { int k = j; do { sum += in[k] * t + j; k += 2; } while (k < n); ++j; } while (j < 5);",
    "in a loop that each thread leaves": "int j = t % 4; do { int k = 0; do { sum += in[k] + j; k += 7; } while (k < n); ++j; } while (j < 5);",
    "where nobody comes": "if (t > 1000) { int k = n; do { sum += in[k % n]; ++k; } while (k != 5); }",
    "where nobody comes, with a head": "if (t > 1000) for (int k = n; k != 5; ++k) sum += in[k % n];",
    "with a break": "int k = 0; do { if (in[k] % 11 == t % 11) break; sum += in[k]; ++k; } while (k < n);",
    "by what it reads": "int k = 0; do { sum += in[k] + t; k += 1 + (in[k] & 1); } while (k < n);",
    "by what it writes": "int k = 0; do { out[t] += in[k]; sum += out[t]; ++k; } while (k < n);",
}  # fmt: skip


@pytest.mark.parametrize("shape", TESTED_LAST)
def test_loops_that_are_tested_last(programs: Kernels, form: str, shape: str) -> None:
    source = """extern "C" __global__ void k(const int* in, int* out, int n) {
        const int t = blockIdx.x * blockDim.x + threadIdx.x;
        int sum = 1;
        %s
        out[t] = sum;
    }"""
    n, threads = 97, 150
    values = np.random.default_rng(6).integers(0, 99, n + 8).astype(np.int32)
    out, expected = (np.zeros(threads, np.int32) for _ in range(2))
    programs.load(source % TESTED_LAST[shape], form).launch("k", 3, 50, values, out, ctypes.c_int(n))
    # One thread by itself has no others to go round with.
    alone = "const int t = first + blockIdx.x;"
    plain = source.replace("const int t = blockIdx.x * blockDim.x + threadIdx.x;", alone).replace(
        "int n)", "int n, int first)"
    )
    programs.load(plain % TESTED_LAST[shape], form).launch(
        "k", threads, 1, values, expected, ctypes.c_int(n), ctypes.c_int(0)
    )
    np.testing.assert_array_equal(out, expected)


def test_functions_of_the_compiler_wait_for_nobody(programs: Kernels) -> None:
    """A kernel without barriers beside one with them; `__builtin_truncf` is declared where the program first has it."""
    source = """
    __device__ float whole(float a) { return __builtin_truncf(a); }
    extern "C" __global__ void meets(int* out) { __syncthreads(); out[threadIdx.x] = 1; }
    extern "C" __global__ void k(float* x) { x[threadIdx.x] = whole(x[threadIdx.x]); }"""
    assert hiprtc_program.rows(programs.compile(source))["k"].form == b"a loop over the threads"


SCAN = """extern "C" __global__ void k(const int* x, int* out, bool* known) {
    __shared__ int plane[32][2], s[128], other[128];
    plane[threadIdx.x / 4][0] = 1;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
        EXCHANGE
        __syncthreads();
    }
    out[i] = s[t];
    if (t == 0) known[blockIdx.x] = __builtin_constant_p(blockDim.x);
}"""
#: A step of a scan, and whether each thread asks for its place.
STEPS = {
    "a choice": ("int before = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += before;", True),
    "an if": ("int before = 0; if (t >= d) before = s[t - d]; __syncthreads(); s[t] += before;", True),
    "guards": ("if (t >= d) other[t] = s[t - d]; __syncthreads(); if (t >= d) s[t] += other[t];", False),
}


@hiprtc_program.needs_reader
@pytest.mark.parametrize("step", STEPS)
def test_blocks_of_a_known_width(programs: Kernels, step: str) -> None:
    """The kernel has a form for the width of its shared array where threads ask, and one for all others."""
    exchange, asks = STEPS[step]
    module = programs.load(SCAN.replace("EXCHANGE", exchange))
    for width in (128, 1, 16, 64, 100, 127):
        x, known = np.arange(3 * width, dtype=np.int32) % 7, np.zeros(3, np.bool_)
        out = np.zeros_like(x)
        module.launch("k", 3, width, x, out, known)
        np.testing.assert_array_equal(out, x.reshape(3, width).cumsum(axis=1).ravel(), str(width))
        assert known.all() == (asks and width == 128)


@hiprtc_program.needs_reader
def test_the_benchmarks_kernels_run_in_loops(programs: Kernels) -> None:
    """No rewritten form of theirs is refused by the compiler, which would leave them on fibres."""
    assert hiprtc_program.reasons(programs.compile(contenders.kernel_text(0), "-O0")) == {}
