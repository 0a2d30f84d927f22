"""Forms that NVRTC takes and that a host's compiler, or HIP, does not know: they compile and do what they say."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import Kernels

CUDA = ("--cuda-shim-cuda=13050", "-D__CUDA_ARCH__=900")

#: Kernels `k` of 32 threads with an array of 32 numbers, all 5, and what they leave in it.
FORMS = {
    "an array of pointers to functions": (
        """__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
        __device__ int (*table[2])(int) = {f, g}; __device__ int (*empty[2][3])(int);
        extern "C" __global__ void k(int* o) { o[threadIdx.x] = table[threadIdx.x & 1](o[threadIdx.x]) + (empty[1][2] != nullptr); }""",
        [6, 10] * 16,
    ),
    "a variable that is only declared": (
        """extern __device__ int v; extern __constant__ int c[4]; namespace n { extern __device__ int w; }
        extern "C" __global__ void k(int* o) { n::w = 3; o[threadIdx.x] = v + c[1] + n::w; }""",
        [3] * 32,
    ),
    "shared memory of known size": (
        """extern __shared__ int s[32]; extern "C" __global__ void k(int* o) {
            s[threadIdx.x] = threadIdx.x; __syncthreads(); o[threadIdx.x] = s[31 - threadIdx.x]; }""",
        [*range(31, -1, -1)],
    ),
    "arguments without names": (
        """__device__ int sum(int n, ...) {
            va_list list; va_start(list, n); int all = 0;
            for (int i = 0; i < n; ++i) all += va_arg(list, int);
            va_end(list); return all; }
        extern "C" __global__ void k(int* o) { o[threadIdx.x] = sum(3, 1, 2, (int)threadIdx.x); }""",
        [*range(3, 35)],
    ),
    "a hint": ("""__inline_hint__ __device__ int f() { return 9; } extern "C" __global__ void k(int* o) { o[threadIdx.x] = f(); }""", [9] * 32),
    "a barrier for a part": (
        """extern "C" __global__ void k(int* o) { __shared__ int s[32]; s[threadIdx.x] = 1;
            __barrier_sync_count(1, 32); o[threadIdx.x] = s[threadIdx.x ^ 1] + 1; }""",
        [2] * 32,
    ),
    "one of a group": (
        """#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        extern "C" __global__ void k(int* o) {
            const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
            cg::invoke_one(tile, [&](int by) { o[threadIdx.x] += by; }, 10);
            const int given = cg::invoke_one_broadcast(tile, [&] { return (int)threadIdx.x; });
            o[threadIdx.x] += given; }""",
        [5 + 10 * (i % 8 == 0) + i // 8 * 8 for i in range(32)],
    ),
    "a barrier in two parts": (
        """#include <cooperative_groups.h>
        extern "C" __global__ void k(int* o) {
            __shared__ int s[32]; const auto block = cooperative_groups::this_thread_block();
            s[threadIdx.x] = threadIdx.x; auto token = block.barrier_arrive();
            block.barrier_wait(static_cast<decltype(token)&&>(token)); o[threadIdx.x] = s[threadIdx.x ^ 1]; }""",
        [i ^ 1 for i in range(32)],
    ),
    "a function that returns nothing where it should": (
        """__device__ int f(int x) { if (x) return 2; return; } extern "C" __global__ void k(int* o) { o[threadIdx.x] = f(o[threadIdx.x]); }""",
        [2] * 32,
    ),
    "16 bytes at once": (
        """struct alignas(16) Pair { long long a, b; };
        extern "C" __global__ void k(int* o) {
            __shared__ Pair p; if (threadIdx.x == 0) p = {0, 0}; __syncthreads();
            Pair seen = p, mine; do { mine = {seen.a + 1, seen.b + 2}; const Pair before = atomicCAS(&p, seen, mine);
                const bool done = before.a == seen.a && before.b == seen.b; seen = before; if (done) break; } while (true);
            __syncthreads(); o[threadIdx.x] = (int)(p.a + p.b); }""",
        [96] * 32,
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_nvrtc_takes(programs: Kernels, form: str) -> None:
    source, expected = FORMS[form]
    numbers = np.full(32, 5, np.int32)
    programs.load(source, *CUDA).launch("k", 1, 32, numbers)
    assert numbers.tolist() == expected


def test_an_assertion_of_nvidia_s_own_stops_the_kernel(programs: Kernels) -> None:
    source = """extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
    extern "C" __global__ void k(int* o) { if (o[0]) __assertfail("o[0] == 0", "k.cu", 2, "k", 1); }"""
    module = programs.load(source, *CUDA)
    module.launch("k", 1, 1, np.zeros(1, np.int32))
    pointer = ctypes.c_void_p(int(module.upload(np.ones(1, np.int32))))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
    programs.hip.hipModuleLaunchKernel(module.function("k"), 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
    assert "hipErrorAssert" in str(programs.hip.hipDeviceSynchronize())
    module.reset_device()
