// Half precision and bfloat16.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void half_axpy(__half a, const __half* x, const __half* y, __half* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hfma(a, x[i], y[i]);
}

extern "C" __global__ void half_operators(const half* x, const half* y, half* out, int n) {
    const int i = threadIdx.x;
    half a = x[i], b = y[i];
    out[0 * n + i] = a + b;
    out[1 * n + i] = a - b;
    out[2 * n + i] = a * b;
    out[3 * n + i] = a / b;
    out[4 * n + i] = -a;
    a += b;
    a *= __float2half(0.5f);
    out[5 * n + i] = a;
    out[6 * n + i] = a > b ? a : b;
    out[7 * n + i] = __hmax(x[i], y[i]);
    out[8 * n + i] = __hmin(x[i], y[i]);
    out[9 * n + i] = __habs(x[i]);
    out[10 * n + i] = __float2half((float)x[i] * 2.0f);
    out[11 * n + i] = __hadd(x[i], __int2half_rn(3));
}

extern "C" __global__ void half_pairs(const __half2* x, const __half2* y, __half2* out, float2* wide, int n) {
    const int i = threadIdx.x;
    out[0 * n + i] = __hadd2(x[i], y[i]);
    out[1 * n + i] = __hmul2(x[i], y[i]);
    out[2 * n + i] = __hfma2(x[i], y[i], __float2half2_rn(1.0f));
    out[3 * n + i] = __halves2half2(__high2half(x[i]), __low2half(y[i]));
    out[4 * n + i] = __floats2half2_rn(__low2float(x[i]), __high2float(y[i]));
    out[5 * n + i] = x[i] - y[i];
    wide[i] = __half22float2(__hneg2(x[i]));
}

extern "C" __global__ void half_functions(const half* x, half* out, unsigned short* flags, int n) {
    const int i = threadIdx.x;
    const half v = x[i];
    out[0 * n + i] = hsqrt(v);
    out[1 * n + i] = hexp(v);
    out[2 * n + i] = hlog(v);
    out[3 * n + i] = hsin(v);
    out[4 * n + i] = hrcp(v);
    out[5 * n + i] = hfloor(v);
    out[6 * n + i] = hrint(v);
    flags[i] = __half_as_ushort(v) + (__hisnan(v) ? 1 : 0) + (__heq(v, v) ? 2 : 0) + (__hlt(v, __ushort_as_half(0x3c00)) ? 4 : 0);
}

extern "C" __global__ void half_rounding(const float* x, half* out, int n) {
    const int i = threadIdx.x;
    out[0 * n + i] = __float2half_rn(x[i]);
    out[1 * n + i] = __float2half_rz(x[i]);
    out[2 * n + i] = __float2half_ru(x[i]);
    out[3 * n + i] = __float2half_rd(x[i]);
}

extern "C" __global__ void half_sums(const half* x, float* sum, int n) {
    float total = 0;
    for (int i = threadIdx.x; i < n; i += 32) total += __half2float(x[i]);
    for (int d = 16; d; d /= 2) total += __shfl_xor_sync(0xffffffffu, total, d);
    const half h = __shfl_sync(0xffffffffu, x[threadIdx.x], 3);
    const __half2 both = __shfl_down_sync(0xffffffffu, __half2half2(x[threadIdx.x]), 1);
    if (threadIdx.x == 0) {
        sum[0] = total;
        sum[1] = __half2float(h);
        sum[2] = __low2float(both);
    }
}

extern "C" __global__ void bfloat_operators(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out, int n) {
    const int i = threadIdx.x;
    const __nv_bfloat16 a = x[i], b = y[i];
    out[0 * n + i] = __hadd(a, b);
    out[1 * n + i] = a * b;
    out[2 * n + i] = a - b;
    out[3 * n + i] = a / b;
    out[4 * n + i] = __hfma(a, b, __float2bfloat16(1.0f));
    out[5 * n + i] = __hmax(a, b);
    out[6 * n + i] = a < b ? a : -b;
    out[7 * n + i] = hexp(a);
    out[8 * n + i] = __float2bfloat16(__bfloat162float(a) * 3.0f);
    out[9 * n + i] = __habs(a);
    __nv_bfloat16 c = a;
    c += b;
    out[10 * n + i] = c;
}

extern "C" __global__ void bfloat_pairs(const __nv_bfloat162* x, const float2* f, __nv_bfloat162* out, float* wide, unsigned short* bits, int n) {
    const int i = threadIdx.x;
    out[0 * n + i] = __hadd2(x[i], x[i]);
    out[1 * n + i] = __floats2bfloat162_rn(f[i].x, f[i].y);
    out[2 * n + i] = __halves2bfloat162(__high2bfloat16(x[i]), __low2bfloat16(x[i]));
    out[3 * n + i] = __hmul2(x[i], __float2bfloat162_rn(2.0f));
    wide[2 * i] = __low2float(x[i]);
    wide[2 * i + 1] = __bfloat1622float2(x[i]).y;
    bits[i] = __bfloat16_as_ushort(__float2bfloat16_rz(f[i].x));
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void narrow_atomics(__half* h, __half2* h2, __nv_bfloat16* b) {
    atomicAdd(h + threadIdx.x % 2, __float2half(1.0f));
    atomicAdd(h2, __floats2half2_rn(0.5f, 2.0f));
    atomicAdd(b + 1, __float2bfloat16(2.0f));
}
#endif
