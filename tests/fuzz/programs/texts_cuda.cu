#include <cuda_fp16.h>
#include "mine.h"
#if __has_include("mine.h") /* a comment */
#define N 0x1p3f
#endif
typedef unsigned int uint; using mine = float4;
extern "C" __device__ int twice(int x) { return 2 * x; } // a line \
that goes on
template <class T> __global__ void k(T* out, const char* s = R"x(raw " text)x", char c = '\'') {
    unsigned r; asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; @p mov.u32 %0, %%laneid; }" : "=r"(r) : "r"(1));
    out[threadIdx.x] = twice(r) << 2 >> 1; child<<<1, 2>>>(out); __shfl_sync(1, 2, 3);
}
inline float4& operator+=(float4& a, const float4& b) { return a; }
