"""Branches in one asm statement, on host cores: their results, and threads that wait in them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.adapters.answers import ok
from tests.kernels import compilers

SOURCE = rb"""
extern "C" __global__ void count(unsigned* out, unsigned limit) {
    unsigned sum = threadIdx.x, block = limit;
    asm volatile("{ .reg .pred p; $L%=: add.u32 %0, %0, 3; setp.lt.u32 p, %0, %1; @p bra $L%=; }" : "+r"(sum) : "r"(block));
    out[threadIdx.x] = sum;
}
extern "C" __global__ void choose(unsigned* out, unsigned limit) {
    unsigned result = 0, t = threadIdx.x;
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, %2;\n\t@!p bra $else%=;\n\tmov.u32 %0, 5;\n\tbra.uni $end%=;\n"
        "$else%=:\n\tmov.u32 %0, 7;\n$end%=:\n\tadd.u32 %0, %0, %1;\n}" : "=r"(result) : "r"(t), "r"(limit));
    out[t] = result;
}
extern "C" __global__ void leave(unsigned* out, unsigned limit) {
    unsigned sum = threadIdx.x;
    asm volatile("{ .reg .pred p, q; A%=: add.u32 %0, %0, 7; setp.gt.u32 q, %0, 40; @q bra OUT%=; setp.lt.u32 p, %0, %1;"
        "@p bra A%=; add.u32 %0, %0, 1000; OUT%=: }" : "+r"(sum) : "r"(limit));
    out[threadIdx.x] = sum;
}
extern "C" __global__ void twisted(unsigned* out, unsigned limit) {
    unsigned sum = threadIdx.x, block = limit;
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %0, %1; @p bra B%=; A%=: add.u32 %0, %0, 1; B%=: add.u32 %0, %0, 2;"
        "setp.lt.u32 p, %0, 50; @p bra A%=; }" : "+r"(sum) : "r"(block));
    out[threadIdx.x] = sum;
}
__device__ void wait_for(unsigned* flag) {
    unsigned seen;
    asm volatile("{ .reg .pred p; WAIT%=: ld.volatile.global.u32 %0, [%1]; setp.ne.u32 p, %0, 0; @p bra DONE%=;"
        "bra WAIT%=; DONE%=: }" : "=r"(seen) : "l"(flag) : "memory");
}
extern "C" __global__ void wait(unsigned* out, unsigned limit) {
    if (threadIdx.x == blockDim.x - 1) { out[limit] = 4; __threadfence(); atomicExch(&out[limit + 1], 1u); }
    else wait_for(&out[limit + 1]);
    out[threadIdx.x] = out[limit];
}
"""
THREADS, LIMIT = 64, 30


def count(sum_):
    while True:
        sum_ += 3
        if sum_ >= LIMIT:
            return sum_


def choose(thread):
    return (5 if thread > LIMIT else 7) + thread


def leave(sum_):
    while True:
        sum_ += 7
        if sum_ > 40:
            return sum_
        if sum_ >= LIMIT:
            return sum_ + 1000


def twisted(sum_):
    enters_behind = sum_ > LIMIT
    while True:
        sum_ += 2 if enters_behind else 3
        enters_behind = False
        if sum_ >= 50:
            return sum_


EXPECTED = {"count": count, "choose": choose, "leave": leave, "twisted": twisted, "wait": lambda _: 4}


@pytest.fixture(scope="module")
def module(cuda):
    program = ok(cuda.nvrtc.nvrtcCreateProgram(SOURCE, b"branches.cu", 0, [], []))
    ok(cuda.nvrtc.nvrtcCompileProgram(program, 0, []))
    image = bytearray(ok(cuda.nvrtc.nvrtcGetCUBINSize(program)))
    ok(cuda.nvrtc.nvrtcGetCUBIN(program, image))
    loaded = ok(cuda.driver.cuModuleLoadData(bytes(image)))
    yield loaded
    ok(cuda.driver.cuModuleUnload(loaded))


@pytest.mark.parametrize("name", EXPECTED)
def test_branches_in_one_statement(cuda, module, name):
    driver = cuda.driver
    limit = THREADS if name == "wait" else LIMIT
    out = np.zeros(THREADS + 2, np.uint32)
    place = ok(driver.cuMemAlloc(out.nbytes))
    ok(driver.cuMemcpyHtoD(place, out.ctypes.data, out.nbytes))
    values = [ctypes.c_void_p(int(place)), ctypes.c_uint(limit)]
    pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in values))
    function = ok(driver.cuModuleGetFunction(module, name.encode()))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    ok(driver.cuMemcpyDtoH(out.ctypes.data, place, out.nbytes))
    ok(driver.cuMemFree(place))
    assert out[:THREADS].tolist() == [EXPECTED[name](thread) for thread in range(THREADS)]


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
def test_nvrtc_takes_them(layout):
    if layout not in compilers.nvrtc():
        pytest.skip(f"NVRTC {layout} is not installed")
    assert compilers.nvrtc()[layout].compile(SOURCE, b"branches.cu", []).status == 0
