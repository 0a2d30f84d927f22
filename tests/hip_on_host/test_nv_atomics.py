"""The compiler's own atomic operations, `__nv_atomic_*`, which NVRTC has since 12.8."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import CompileError, Kernels
from tests.program_files import read_program

CUDA = ("--cuda-shim-cuda=12090", "-D__CUDA_ARCH__=800")
BLOCKS, THREADS = 6, 64
ALL = BLOCKS * THREADS
INTEGERS = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}
NUMBERS = {**INTEGERS, "float": np.float32, "double": np.float64}
SOURCE = """
typedef TYPE T;
#define LAST __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE
extern "C" __global__ void numbers(T* p) {
    const T t = (T)(blockIdx.x * blockDim.x + threadIdx.x);
    __nv_atomic_fetch_add(p, (T)2, LAST);
    __nv_atomic_add(p + 1, 3, __NV_ATOMIC_SEQ_CST);
    __nv_atomic_fetch_sub(p + 2, (T)1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_sub(p + 2, (T)1, LAST);
    __nv_atomic_min(p + 3, t, LAST);
    if (__nv_atomic_fetch_max(p + 4, t, LAST) > t) __nv_atomic_add(p + 5, (T)0, LAST);
    T seen, next;
    __nv_atomic_load(p + 6, &seen, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_CLUSTER);
    do next = seen + t;
    while (!__nv_atomic_compare_exchange(p + 6, &seen, &next, false, LAST_AND_FAILED, __NV_THREAD_SCOPE_DEVICE));
    seen = __nv_atomic_load_n(p + 7, LAST);
    while (!__nv_atomic_compare_exchange_n(p + 7, &seen, seen + 1, true, LAST_AND_FAILED, __NV_THREAD_SCOPE_DEVICE)) {}
    T mine = t, old;
    __nv_atomic_exchange(p + 8, &mine, &old, LAST);
    __nv_atomic_fetch_add(p + 9, old + __nv_atomic_exchange_n(p + 10, mine, LAST), LAST);
    __nv_atomic_store_n(p + 11, (T)5, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_store(p + 12, &(mine = 6), LAST);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
}
""".replace("LAST_AND_FAILED", "__NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED")
BITS = read_program(__file__, "nv_atomics_bits.cu")


def expected(start: list[int]) -> list[int]:
    """Return the threads' results; 8 to 10, which they exchange in any order, keep the first values."""
    left = list(start)
    left[0], left[1], left[2] = start[0] + 2 * ALL, start[1] + 3 * ALL, start[2] - 2 * ALL
    left[3], left[4] = 0, ALL - 1
    left[6], left[7] = start[6] + ALL * (ALL - 1) // 2, start[7] + ALL
    left[11], left[12] = 5, 6
    return left


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(programs: Kernels, form: str, name: str) -> None:
    start = [100, 100, 1000, *[100] * 10]
    array = np.array(start, NUMBERS[name])
    programs.load(SOURCE.replace("TYPE", name), *CUDA, form).launch("numbers", BLOCKS, THREADS, array)
    # The numbers that threads put in are those that they get out.
    assert array[8:11].sum() == ALL * (ALL - 1) + 3 * 100
    array[8:11] = 100
    assert array.tolist() == expected(start)


def test_bits_and_integers_that_wrap(programs: Kernels, form: str) -> None:
    bits = np.array([2**32 - 1, 0, 0], np.uint32)
    wrapped = np.array([2**31 - 1, -(2**31)], np.int32)
    programs.load(BITS, *CUDA, form).launch("bits", 1, 32, bits, wrapped)
    assert bits.tolist() == [0, 2**32 - 1, 0]
    assert wrapped.tolist() == [-(2**31), 2**31 - 1]


def test_threads_that_look_at_memory_wait_for_others(programs: Kernels) -> None:
    flag, out = np.zeros(1, np.int32), np.zeros(1, np.int32)
    programs.load(BITS, *CUDA).launch("waits", 2, 32, flag, out)
    assert out[0] == 7


def test_the_older_layout_has_none(programs: Kernels) -> None:
    with pytest.raises(CompileError):
        programs.compile(BITS, "--cuda-shim-cuda=11080", "-D__CUDA_ARCH__=800")


def test_streams_have_names(programs: Kernels) -> None:
    source = """extern "C" __global__ void k(unsigned long long* out) {
        out[0] = (unsigned long long)cudaStreamLegacy, out[1] = (unsigned long long)cudaStreamPerThread;
    }"""
    out = np.zeros(2, np.uint64)
    programs.load(source, *CUDA).launch("k", 1, 1, out)
    assert out.tolist() == [1, 2]
