// Further forms of half and bfloat16 arithmetic: saturated, not below zero, unordered, masks, and conversions with modes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __device__ void forms(const T* x, const T* y, const T* z, T* out, unsigned* bits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T a = x[i], b = y[i], c = z[i];
    T found[] = {__hadd_sat(a, b), __hsub_sat(a, b), __hmul_sat(a, b), __hfma_sat(a, b, c), __hfma_relu(a, b, c), __hfma(a, b, c),
                 __hmin_nan(a, b), __hmax_nan(a, b), __hmin(a, b), __hmax(a, b)};
    for (int row = 0; row < 10; ++row) out[row * n + i] = found[row];
    bits[i] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5 | __hequ(a, b) << 6 |
              __hneu(a, b) << 7 | __hltu(a, b) << 8 | __hleu(a, b) << 9 | __hgtu(a, b) << 10 | __hgeu(a, b) << 11 | __hisnan(a) << 12;
}
extern "C" __global__ void half_forms(const __half* x, const __half* y, const __half* z, __half* out, unsigned* bits, int n) {
    forms(x, y, z, out, bits, n);
}
extern "C" __global__ void bfloat_forms(const __nv_bfloat16* x, const __nv_bfloat16* y, const __nv_bfloat16* z, __nv_bfloat16* out,
                                        unsigned* bits, int n) {
    forms(x, y, z, out, bits, n);
}

extern "C" __global__ void half_pair_forms(const __half2* x, const __half2* y, const __half2* z, __half2* out, unsigned* masks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 a = x[i], b = y[i], c = z[i];
    __half2 found[] = {__hadd2_sat(a, b), __hfma2_relu(a, b, c), __hcmadd(a, b, c), __hmax2_nan(a, b), __hltu2(a, b)};
    for (int row = 0; row < 5; ++row) out[row * n + i] = found[row];
    masks[i] = __hgt2_mask(a, b);
    masks[n + i] = __hleu2_mask(a, b);
    masks[2 * n + i] = __hbgt2(a, b) + 2 * __hbleu2(a, b) + 4 * __hbneu2(a, b);
}

#define CONVERSIONS(kernel, T, name)                                                                                     \
    extern "C" __global__ void kernel(const float* x, const long long* whole, T* out, long long* integers, int n) {      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                   \
        if (i >= n) return;                                                                                              \
        T found[] = {__float2##name##_rn(x[i]), __float2##name##_rz(x[i]), __float2##name##_rd(x[i]), __float2##name##_ru(x[i]), \
                     __ll2##name##_rn(whole[i]), __ll2##name##_rz(whole[i]), __ll2##name##_rd(whole[i]), __ll2##name##_ru(whole[i]), \
                     __int2##name##_rd((int)whole[i]), __uint2##name##_ru((unsigned)whole[i])};                          \
        for (int row = 0; row < 10; ++row) out[row * n + i] = found[row];                                                \
        T h = found[0];                                                                                                  \
        long long back[] = {__##name##2int_rn(h), __##name##2int_rd(h), __##name##2uint_ru(h), __##name##2short_rz(h),   \
                            __##name##2ll_rn(h), (long long)__##name##2ull_rd(h), __##name##2char_rz(h), __##name##2uchar_rz(h)}; \
        for (int row = 0; row < 8; ++row) integers[row * n + i] = back[row];                                             \
    }
CONVERSIONS(half_conversions, __half, half)
CONVERSIONS(bfloat_conversions, __nv_bfloat16, bfloat16)
