// A program with headers of its own, macros from its options, and functions that say nothing about where they run.
#include "own/shapes.h"
#include <own_math.h>
#ifndef FACTOR
#error "FACTOR comes from the options"
#endif

float twice(float x) { return 2 * x; }
struct Adder {
    int amount;
    Adder(int a) : amount(a) {}
    int operator()(int x) const { return x + amount; }
};

extern "C" __global__ void with_headers(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const own::Rectangle r{in[i], FACTOR};
    out[i] = r.area() + OFFSET + twice(cubed(in[i])) + Adder(3)(i);
}

#if defined(__CUDACC_RTC__) && defined(__CUDA_ARCH__) && !defined(REMOVED)
extern "C" __global__ void by_macros(int* out) {
    out[0] = __CUDA_ARCH__ >= 600;
    out[1] = __CUDACC_VER_MAJOR__ >= 11;
    out[2] = __LINE__;
    out[3] = SET_TWICE;
#ifdef __CUDACC__
    out[4] = sizeof(NAMED);
#endif
}
#endif
