"""Programs with the atomic objects of CUDA's C++ core libraries."""

from __future__ import annotations

import numpy as np

from tests.amd.emulated.small_programs import Arrays, SmallProgram

THREADS, BLOCKS = 64, 4

#: Blocks take turns from the last one to the first, each with a store that the next one acquires.
OBJECTS = """#include <cuda/atomic>
struct Pair { int a, b; };
__device__ cuda::atomic<int, cuda::thread_scope_device> turn{0};
extern "C" __global__ void k(unsigned* n, float* f, int* m, Pair* p, long long* l, unsigned char* c) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(n[0]);
    count.fetch_add(2u, cuda::memory_order_relaxed);
    cuda::atomic_ref<float> sum(f[0]);
    sum += 1.5f;
    cuda::atomic_ref<int, cuda::thread_scope_device> most(m[0]), bits(m[1]);
    most.fetch_max((int)(threadIdx.x * 5 % 64 + 100 * blockIdx.x));
    bits |= 1 << threadIdx.x % 20;
    cuda::std::atomic_ref<Pair> pair(p[0]);
    Pair seen = pair.load();
    while (!pair.compare_exchange_weak(seen, Pair{seen.a + 1, seen.b - 1})) {}
    cuda::atomic_ref<long long> low(l[0]);
    low.fetch_sub(2);
    --low;
    cuda::atomic_ref<unsigned char> byte(c[1]);
    ++byte;
    if (threadIdx.x == 0) {
        turn.wait(-1);
        while (turn.load(cuda::memory_order_acquire) != (int)(gridDim.x - 1 - blockIdx.x)) {}
        const int now = turn.load(cuda::memory_order_relaxed);
        n[1 + now] = blockIdx.x + (now ? n[now] * 10 : 0);
        turn.store(now + 1, cuda::memory_order_release);
    }
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
}
"""


def of_objects(_: np.random.Generator) -> tuple[Arrays, dict[int, np.ndarray]]:
    count = THREADS * BLOCKS
    arrays: Arrays = [
        np.zeros(1 + BLOCKS, "u4"), np.zeros(1, "f4"), np.zeros(2, "i4"), np.zeros(2, "i4"), np.zeros(1, "i8"),
        np.zeros(4, "u1"),
    ]  # fmt: skip
    turns = [3, 32, 321, 3210]
    expected = {
        0: np.array([2 * count, *turns], "u4"), 1: np.array([1.5 * count], "f4"),
        2: np.array([63 + 100 * (BLOCKS - 1), (1 << 20) - 1], "i4"), 3: np.array([count, -count], "i4"),
        4: np.array([-3 * count], "i8"), 5: np.array([0, count % 256, 0, 0], "u1"),
    }  # fmt: skip
    return arrays, expected


PROGRAMS = {"atomic objects": SmallProgram(OBJECTS, THREADS, of_objects, BLOCKS)}
