"""Shapes of C++ around barriers: each gives the same split as it is written, and is split where it can be."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable

import numpy as np
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels

THREADS = 64
COMPILERS = [name for name in ("clang++-19", "clang++", "g++") if shutil.which(name)]

#: Bodies of `k(int* x, int n)`, n, and the value that thread t leaves in x[t], which holds t before.
SHAPES: dict[str, tuple[str, int, Callable[[int], int]]] = {
    "two variables in one for": (
        "int s = 0; for (int i = 0, j = threadIdx.x; i < n; i++, j += 2) { __syncthreads(); s += i * 100 + j; } x[threadIdx.x] = s;",
        4, lambda t: sum(i * 100 + t + 2 * i for i in range(4))),
    "condition that changes a parameter": (
        "int s = 0, j = threadIdx.x; while (n--) { __syncthreads(); s += j; j = -j; } x[threadIdx.x] = s;", 3, lambda t: t),
    "braces in which all change a parameter": (
        "__syncthreads(); { n = n * 2 + 1; } x[threadIdx.x] = n; __syncthreads(); x[threadIdx.x] += n;", 3, lambda t: 14),
    "variables without a value at first": (
        ("__shared__ int q[64]; int i; for (i = threadIdx.x; i < 64; i += 64) q[i] = i; __syncthreads();"
        "int v; if (n) v = q[63 - threadIdx.x]; else v = 1; __syncthreads(); x[threadIdx.x] = v + i;"),
        1, lambda t: 63 - t + t + 64),
    "types of the kernel's own": (
        ("typedef int I; using J = I; struct S { I a; J b; }; S s = {1, (int)threadIdx.x}; __syncthreads();"
        "S t = s; t.a += 2; __syncthreads(); x[threadIdx.x] = t.a + t.b + s.a;"),
        1, lambda t: t + 4),
    "arrays of two dimensions": (
        ("float f[2][3] = {{1, 2, 3}, {4, 5, 6}}; f[1][threadIdx.x % 3] += threadIdx.x; __syncthreads();"
        "x[threadIdx.x] = (int)(f[1][threadIdx.x % 3] + f[0][2]);"),
        1, lambda t: 4 + t % 3 + t + 3),
    "pointers and constants": (
        ("int* p = x + threadIdx.x; __syncthreads(); int old = *p; p[0] = old * 2; __syncthreads();"
        "const int* const q = p; ++*p; x[threadIdx.x] += *q;"),
        1, lambda t: (2 * t + 1) * 2),
    "a pointer to a local": (
        "int a = threadIdx.x, *p = &a; __syncthreads(); *p += 5; __syncthreads(); x[threadIdx.x] = a;", 1, lambda t: t + 5),
    "a reference": (
        "int a = threadIdx.x; __syncthreads(); int& r = a; r += n; __syncthreads(); ++r; x[threadIdx.x] = a;", 6, lambda t: t + 7),
    "auto": (
        ("auto a = threadIdx.x * 2u; const auto b = x[threadIdx.x] + 1; __syncthreads(); auto c = a + b; __syncthreads();"
        "x[threadIdx.x] = (int)(a + b + c);"),
        1, lambda t: 2 * (3 * t + 1)),
    "a lambda between barriers": (
        "__syncthreads(); auto f = [&](int v) { return v + n; }; x[threadIdx.x] = f(threadIdx.x); __syncthreads();", 7, lambda t: t + 7),
    "a switch between barriers": (
        ("int v = threadIdx.x; switch (v % 3) { case 0: v += 10; break; case 1: v += 20; default: v += 30; }"
        "__syncthreads(); x[threadIdx.x] = v;"),
        1, lambda t: t + (10, 50, 30)[t % 3]),
    "a reference in a switch": (
        ("int v = threadIdx.x; switch (threadIdx.x & 1) { case 0: { int& r = v; r += 7; } break; default: { auto& q(v); q *= 2; } }"
        "__syncthreads(); x[threadIdx.x] = v;"),
        1, lambda t: 2 * t if t & 1 else t + 7),
    "do while with continue": (
        "int v = threadIdx.x; do { __syncthreads(); v++; if (v > 1000) continue; n--; } while (n > 0); x[threadIdx.x] = v;",
        5, lambda t: t + 5),
    "threads that leave first": (
        "if (threadIdx.x >= n) return; for (int i = 0; i < 3; ++i) { x[threadIdx.x] += i; __syncwarp(); }",
        40, lambda t: t + 3 if t < 40 else t),
    "all leave inside a loop": (
        "for (int i = 0; i < n; ++i) { if (i == 2) return; __syncthreads(); x[threadIdx.x] += 1; } x[threadIdx.x] = -1;",
        40, lambda t: t + 2),
    "an endless loop that is left": (
        ("__shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads();"
        "while (true) { __syncthreads(); if (c >= n) break; __syncthreads(); if (threadIdx.x == 0) c++; } x[threadIdx.x] = c;"),
        6, lambda t: 6),
    "wide values through a warp": (
        ("double d = threadIdx.x; unsigned long long b = __double_as_longlong(d); b = __shfl_sync(~0u, b, 5);"
        "float4 v = make_float4(1, 2, threadIdx.x, 4); v = __shfl_down_sync(~0u, v, 1);"
        "x[threadIdx.x] = (int)__longlong_as_double(b) + (int)v.z;"),
        1, lambda t: t // 32 * 32 + 5 + (t + 1 if t % 32 < 31 else t)),
    "half a warp": (
        "int lane = threadIdx.x & 31, v = lane; if (lane < 16) { v = __shfl_xor_sync(0xffff, v, 1); } x[threadIdx.x] = v;",
        1, lambda t: (t % 32) ^ 1 if t % 32 < 16 else t % 32),
    "half a warp, and a barrier of the whole": (
        ("__shared__ int q[64]; int lane = threadIdx.x & 31, v = lane; if (lane >= 16) v += __shfl_xor_sync(0xffff0000, v, 1);"
        "q[threadIdx.x] = v; __syncwarp(); x[threadIdx.x] = q[threadIdx.x ^ 31];"),
        1, lambda t: (lane := t % 32 ^ 31) + (lane ^ 1 if lane >= 16 else 0)),
    "who is active": (
        "unsigned m = __activemask(); x[threadIdx.x] = __popc(m & ((1u << (threadIdx.x & 31)) - 1));", 1, lambda t: t % 32),
    "names that hide others": (
        "int v = x[threadIdx.x]; __syncthreads(); if (n > 3) { int v = 7; __syncthreads(); x[threadIdx.x] = v; } else x[threadIdx.x] = v;",
        6, lambda t: 7),
    "both sides of a branch meet": (
        ("const int a = threadIdx.x / n, b = threadIdx.x % n; __syncthreads();"
        "if (a < b) { __syncwarp(); x[threadIdx.x] = 100; } else { x[threadIdx.x] = a; __syncwarp(); }"),
        5, lambda t: 100 if t // 5 < t % 5 else t // 5),
    "a division that some must not make": (
        "int v = threadIdx.x; if (threadIdx.x < 3 * n) { int q = 100 / n; __syncwarp(); v = q; } x[threadIdx.x] = v;", 0, lambda t: t),
    "a long loop that all go round": (
        "int s = 0; if (threadIdx.x < 50) for (int k = 0; k < n; ++k) s += k * threadIdx.x; __syncthreads(); x[threadIdx.x] = s;",
        100, lambda t: 4950 * t if t < 50 else 0),
    "strides of the block's width": (
        "int s = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) s += i; __syncthreads(); x[threadIdx.x] = s;",
        300, lambda t: sum(range(t, 300, THREADS))),
}  # fmt: skip

#: Bodies that are not split, and the reason.
WHOLE = {
    "goto": ("x[threadIdx.x] = 1; if (n > 5) goto done; x[threadIdx.x] = 5; done: __syncthreads();", "goto"),
    "a lambda across a barrier": (
        "auto f = [&](int v) { return v + n; }; int r = f(0); __syncthreads(); x[threadIdx.x] = f(r);", "lambda"),
    "a barrier in a switch": ("switch (n) { case 1: __syncthreads(); default: x[threadIdx.x] = 2; }", "switch"),
    "a condition before a warp operation": ("x[threadIdx.x] = n > 3 && __any_sync(~0u, n);", "conditional"),
}  # fmt: skip

KERNEL = 'extern "C" __global__ void k(int* x, int n) { %s }'


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_gives_what_it_says_in_both_forms(programs: Kernels, shape: str) -> None:
    body, n, expected = SHAPES[shape]
    for form in ("--cuda-shim-split=1", "--cuda-shim-split=0"):
        compiled = programs.compile(KERNEL % body, form)
        barriers, split = hiprtc_program.forms(compiled)["k"]
        assert split == (barriers and form.endswith("1"))
        x = np.arange(THREADS, dtype=np.int32)
        hiprtc_program.Module(programs.hip, compiled).launch("k", 1, THREADS, x, ctypes.c_int(n))
        assert x.tolist() == [expected(t) for t in range(THREADS)], form


@pytest.mark.parametrize("shape", WHOLE)
def test_what_is_not_split_says_why(programs: Kernels, shape: str) -> None:
    body, word = WHOLE[shape]
    compiled = programs.compile(KERNEL % body)
    assert hiprtc_program.forms(compiled)["k"] == (True, False)
    assert word in hiprtc_program.reasons(compiled)["k"]


def test_one_kernel_that_cannot_be_split_leaves_the_others_split(programs: Kernels) -> None:
    """A thread's variables have to fit on a worker's stack, for every thread of a block."""
    source = """
    extern "C" __global__ void large(float* x) {
        float r[2000]; for (int i = 0; i < 2000; ++i) r[i] = i + threadIdx.x;
        __syncthreads(); x[threadIdx.x] = r[1999];
    }
    extern "C" __global__ void small(float* x) {
        float r[20]; for (int i = 0; i < 20; ++i) r[i] = i + threadIdx.x;
        __syncthreads(); x[threadIdx.x] = r[19];
    }"""
    compiled = programs.compile(source)
    assert hiprtc_program.forms(compiled) == {"large": (True, False), "small": (True, True)}
    module = hiprtc_program.Module(programs.hip, compiled)
    for name, last in (("large", 1999), ("small", 19)):
        x = np.zeros(THREADS, np.float32)
        module.launch(name, 1, THREADS, x)
        assert x.tolist() == [last + t for t in range(THREADS)]


def test_lanes_without_a_value_keep_their_way(programs: Kernels) -> None:
    """A shuffle reads a variable that a single lane has set: compilers may not take the others for unreachable."""
    source = """
    __device__ int aggregated(int* counter) {
        unsigned active = __activemask(), lane = threadIdx.x % 32;
        int leader = __ffs(active) - 1, before;
        if (lane == leader) before = atomicAdd(counter, __popc(active));
        before = __shfl_sync(active, before, leader);
        return before + __popc(active & ((1u << lane) - 1));
    }
    extern "C" __global__ void keep(const int* x, int* out, int* counter) {
        if (x[threadIdx.x] % 3 == 0) out[aggregated(counter)] = x[threadIdx.x];
    }"""
    x, out, counter = np.arange(96, dtype=np.int32), np.zeros(96, np.int32), np.zeros(1, np.int32)
    programs.load(source).launch("keep", 1, 96, x, out, counter)
    assert counter[0] == 32
    assert sorted(out[:32]) == list(range(0, 96, 3))


MASKS = """
kernels = __import__("hiprtc_program").Kernels(hip, __import__("hiprtc_program").load({folder!r}))
import numpy as np
source = '''extern "C" __global__ void masks(unsigned int* out) {{
    unsigned int mask = 0;
    switch (threadIdx.x % 4) {{
        case 0: mask = __activemask(); break;
        case 1: mask = __activemask(); break;
        case 2: mask = __activemask(); break;
        default: mask = __activemask(); break;
    }}
    out[threadIdx.x] = mask;
}}'''
out = np.zeros(32, "u4")
kernels.load(source, "--cuda-shim-split=0").launch("masks", 1, 32, out)
print([hex(mask) for mask in out[:4]])
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_warp_operations_of_two_branches_are_two(compiler, run_hip, runtime_folder):
    """The operations are alike, but a compiler must not merge them: then all lanes would seem to meet there."""
    said = run_hip(MASKS.format(folder=str(runtime_folder)), CUDA_SHIM_CPU_CXX=compiler)
    assert said == "['0x11111111', '0x22222222', '0x44444444', '0x88888888']\n"
