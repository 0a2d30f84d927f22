// cuda_fp16.h: the names of CUDA's header that hiprtc's built-in __half and __half2 lack, or define differently.
#pragma once
#pragma GCC system_header
#include <cuda_shim/atomics.h>
#include <cuda_shim/narrow_comparisons.h>
#include <cuda_shim/narrow_conversions.h>
#include <cuda_shim/warp.h>

typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half2 nv_half2x1;

// The larger or smaller number; a NaN loses to a number, and wins in the _nan forms. -0 is below +0.
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hmax(__half a, __half b) { return __float2half(fmaxf(__half2float(a), __half2float(b))); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hmin(__half a, __half b) { return __float2half(fminf(__half2float(a), __half2float(b))); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hmax_nan(__half a, __half b) {
    return __hisnan(a) || __hisnan(b) ? __ushort_as_half(0x7fffu) : cuda_on_hip_hmax(a, b);
}
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hmin_nan(__half a, __half b) {
    return __hisnan(a) || __hisnan(b) ? __ushort_as_half(0x7fffu) : cuda_on_hip_hmin(a, b);
}
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hfma_relu(__half a, __half b, __half c) {
    return cuda_on_hip_hmax_nan(__hfma(a, b, c), __ushort_as_half(0));
}
CUDA_ON_HIP_DEVICE int cuda_on_hip_hisinf(__half a) {
    const unsigned short bits = __half_as_ushort(a);
    return bits == 0x7c00u ? 1 : bits == 0xfc00u ? -1 : 0;
}

CUDA_ON_HIP_DEVICE __half cuda_on_hip_double2half(double a) { return __float2half(cuda_on_hip_odd(a)); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_half_directed(float a, cuda_on_hip_direction direction) {
    const __half nearest = __float2half(a);
    return __ushort_as_half(cuda_on_hip_narrow_directed(__half_as_ushort(nearest), __half2float(nearest), a, direction));
}
// An integer that a float does not hold exactly is beyond the largest half, as is the float.
#define CUDA_ON_HIP_ROUNDED(type, name, way, whole)                                                  \
    CUDA_ON_HIP_DEVICE type cuda_on_hip_half2##name##_##way(__half a) {                              \
        return cuda_on_hip_whole<type>(whole(__half2float(a)));                                      \
    }                                                                                                \
    CUDA_ON_HIP_DEVICE __half cuda_on_hip_##name##2half_##way(type a) { return cuda_on_hip_float2half_##way((float)a); }
#define CUDA_ON_HIP_INTEGER(type, name)                                                              \
    CUDA_ON_HIP_ROUNDED(type, name, rn, __builtin_rintf)                                             \
    CUDA_ON_HIP_ROUNDED(type, name, rz, __builtin_truncf)                                            \
    CUDA_ON_HIP_ROUNDED(type, name, ru, __builtin_ceilf)                                             \
    CUDA_ON_HIP_ROUNDED(type, name, rd, __builtin_floorf)
CUDA_ON_HIP_DEVICE __half cuda_on_hip_float2half_rn(float a) { return __float2half(a); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_float2half_rz(float a) { return cuda_on_hip_half_directed(a, cuda_on_hip_rz); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_float2half_ru(float a) { return cuda_on_hip_half_directed(a, cuda_on_hip_ru); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_float2half_rd(float a) { return cuda_on_hip_half_directed(a, cuda_on_hip_rd); }
CUDA_ON_HIP_INTEGER(int, int)
CUDA_ON_HIP_INTEGER(unsigned, uint)
CUDA_ON_HIP_INTEGER(short, short)
CUDA_ON_HIP_INTEGER(unsigned short, ushort)
CUDA_ON_HIP_INTEGER(long long, ll)
CUDA_ON_HIP_INTEGER(unsigned long long, ull)
#undef CUDA_ON_HIP_INTEGER
#undef CUDA_ON_HIP_ROUNDED
CUDA_ON_HIP_DEVICE signed char cuda_on_hip_half2char_rz(__half a) { return cuda_on_hip_whole<signed char>(__half2float(a)); }
CUDA_ON_HIP_DEVICE unsigned char cuda_on_hip_half2uchar_rz(__half a) { return cuda_on_hip_whole<unsigned char>(__half2float(a)); }
// Between 0 and 1; a NaN is 0, which HIP's own leave as it is.
CUDA_ON_HIP_DEVICE __half cuda_on_hip_saturated(__half a) {
    const float value = __half2float(a);
    return __float2half(!(value > 0.0f) ? 0.0f : value > 1.0f ? 1.0f : value);
}
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_saturated(__half2 a) {
    return __halves2half2(cuda_on_hip_saturated(__low2half(a)), cuda_on_hip_saturated(__high2half(a)));
}
#define CUDA_ON_HIP_SATURATED(name)                                                                                   \
    CUDA_ON_HIP_DEVICE __half cuda_on_hip_##name##_sat(__half a, __half b) { return cuda_on_hip_saturated(__##name(a, b)); } \
    CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_##name##2_sat(__half2 a, __half2 b) {                                      \
        return cuda_on_hip_saturated(__##name##2(a, b));                                                              \
    }
CUDA_ON_HIP_SATURATED(hadd)
CUDA_ON_HIP_SATURATED(hsub)
CUDA_ON_HIP_SATURATED(hmul)
#undef CUDA_ON_HIP_SATURATED
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hfma_sat(__half a, __half b, __half c) { return cuda_on_hip_saturated(__hfma(a, b, c)); }
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_hfma2_sat(__half2 a, __half2 b, __half2 c) {
    return cuda_on_hip_saturated(__hfma2(a, b, c));
}

// HIP's own calls a function that ROCm 5.2 does not have.
CUDA_ON_HIP_DEVICE __half cuda_on_hip_hrcp(__half a) { return __float2half(1.0f / __half2float(a)); }
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_h2rcp(__half2 a) {
    return __halves2half2(cuda_on_hip_hrcp(__low2half(a)), cuda_on_hip_hrcp(__high2half(a)));
}
CUDA_ON_HIP_DEVICE __half cuda_on_hip_htanh(__half a) { return __float2half(tanhf(__half2float(a))); }

// Both halves, one after the other.
#define CUDA_ON_HIP_BOTH(name, one)                                                                     \
    CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_##name(__half2 a, __half2 b) {                                 \
        return __halves2half2(one(__low2half(a), __low2half(b)), one(__high2half(a), __high2half(b))); \
    }
CUDA_ON_HIP_BOTH(hmax2, cuda_on_hip_hmax)
CUDA_ON_HIP_BOTH(hmin2, cuda_on_hip_hmin)
CUDA_ON_HIP_BOTH(hmax2_nan, cuda_on_hip_hmax_nan)
CUDA_ON_HIP_BOTH(hmin2_nan, cuda_on_hip_hmin_nan)
#undef CUDA_ON_HIP_BOTH
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_h2tanh(__half2 a) {
    return __halves2half2(cuda_on_hip_htanh(__low2half(a)), cuda_on_hip_htanh(__high2half(a)));
}
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_hfma2_relu(__half2 a, __half2 b, __half2 c) {
    return cuda_on_hip_hmax2_nan(__hfma2(a, b, c), __float2half2_rn(0.0f));
}
// a * b + c of complex numbers whose real part is the lower half, rounded after each of the two products.
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_hcmadd(__half2 a, __half2 b, __half2 c) {
    const __half ar = __low2half(a), ai = __high2half(a), br = __low2half(b), bi = __high2half(b);
    return __halves2half2(__hfma(__hneg(ai), bi, __hfma(ar, br, __low2half(c))), __hfma(ai, br, __hfma(ar, bi, __high2half(c))));
}

CUDA_ON_HIP_DEVICE float cuda_on_hip_wide(__half a) { return __half2float(a); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_low(__half2 a) { return __low2half(a); }
CUDA_ON_HIP_DEVICE __half cuda_on_hip_high(__half2 a) { return __high2half(a); }
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_ones(unsigned mask, __half2) { return cuda_on_hip_bits<__half2>(mask & 0x3c003c00u); }
CUDA_ON_HIP_COMPARISONS(__half, __half2)

// Adds to the 32-bit word that the halves are part of.
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_atomicAdd(__half2* address, __half2 value) {
    unsigned* word = (unsigned*)address;
    unsigned old = *(volatile unsigned*)word, seen;
    while ((seen = cuda_on_hip_atomicCAS(word, old,
                                       cuda_on_hip_bits<unsigned>(__hadd2(cuda_on_hip_bits<__half2>(old), value)))) != old)
        old = seen;
    return cuda_on_hip_bits<__half2>(old);
}
CUDA_ON_HIP_DEVICE __half cuda_on_hip_atomicAdd(__half* address, __half value) {
    unsigned* word = (unsigned*)((size_t)address & ~(size_t)3);
    const unsigned shift = ((size_t)address & 2) * 8;
    unsigned old = *(volatile unsigned*)word, seen;
    for (;;) {
        const __half sum = __hadd(__ushort_as_half((unsigned short)(old >> shift)), value);
        const unsigned wanted = (old & ~(0xffffu << shift)) | ((unsigned)__half_as_ushort(sum) << shift);
        seen = cuda_on_hip_atomicCAS(word, old, wanted);
        if (seen == old) return __ushort_as_half((unsigned short)(old >> shift));
        old = seen;
    }
}

// These forms forbid contraction. HIP's arithmetic is not contracted across function calls anyway.
#define CUDA_ON_HIP_ROUNDED(name)                                                                     \
    CUDA_ON_HIP_DEVICE __half cuda_on_hip_##name##_rn(__half a, __half b) { return __##name(a, b); }  \
    CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_##name##2_rn(__half2 a, __half2 b) { return __##name##2(a, b); }
CUDA_ON_HIP_ROUNDED(hadd)
CUDA_ON_HIP_ROUNDED(hsub)
CUDA_ON_HIP_ROUNDED(hmul)
#undef CUDA_ON_HIP_ROUNDED

#include <cuda_shim/half_names.h>
#include <cuda_shim/narrow_names.h>
