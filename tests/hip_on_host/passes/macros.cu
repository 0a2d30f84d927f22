// --- input ---
#define N 4
extern "C" __global__ void k(float* x) { x[threadIdx.x] = N; }
// --- after macros ---
extern "C" __global__ void k(float* x) { x[threadIdx.x] = 4; }
// --- input ---
#define SQUARE(v) ((v) * (v))
extern "C" __global__ void k(float* x) { x[0] = SQUARE(x[1] + 1); }
// --- after macros ---
extern "C" __global__ void k(float* x) { x[0] = ((x[1] + 1) * (x[1] + 1)); }
// --- input ---
#if __CUDACC_VER_MAJOR__ >= 12
extern "C" __global__ void k(float* x) { x[0] = 12; }
#else
extern "C" __global__ void k(float* x) { x[0] = 11; }
#endif
// --- after macros ---
extern "C" __global__ void k(float* x) { x[0] = 12; }
// --- input ---
#define CAT(a, b) a##b
#define TEXT(a) #a
__device__ int CAT(va, lue) = sizeof(TEXT(four));
extern "C" __global__ void k(float* x) { x[0] = value; }
// --- after macros ---
__device__ int value = sizeof("four");
extern "C" __global__ void k(float* x) { x[0] = value; }
// --- input ---
#pragma unroll
extern "C" __global__ void k(float* x) {
#pragma unroll 4
    for (int i = 0; i < 4; ++i) x[i] = __LINE__;
}
// --- after macros ---
#pragma unroll
extern "C" __global__ void k(float* x) {
#pragma unroll 4
    for (int i = 0; i < 4; ++i) x[i] = 4;
}
// --- input ---
#include <cuda_fp16.h>
#define HALF __half
extern "C" __global__ void k(HALF* h) { h[0] = HALF(1.f); }
// --- after macros ---
# 1 "left-alone/cuda_fp16.h" 1
#pragma cuda_shim_include <cuda_fp16.h>
# 2 "k.cu" 2

extern "C" __global__ void k(__half* h) { h[0] = __half(1.f); }
