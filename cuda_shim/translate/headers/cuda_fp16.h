// cuda_fp16.h: hiprtc has __half and __half2 built in; here is what CUDA's header has beside them.
#pragma once
#pragma GCC system_header
#include <cuda_shim/atomics.h>
#include <cuda_shim/warp.h>

typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half2 nv_half2x1;

CUDA_ON_HIP_DEVICE bool cuda_on_hip_half_is_nan(__half a) { return __hisnan(a); }

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
CUDA_ON_HIP_DEVICE __half cuda_on_hip_double2half(double a) { return __float2half((float)a); }
CUDA_ON_HIP_DEVICE signed char cuda_on_hip_half2char_rz(__half a) {
    const float value = __half2float(a);
    return value != value ? 0 : value < -128.0f ? -128 : value > 127.0f ? 127 : (signed char)value;
}
CUDA_ON_HIP_DEVICE unsigned char cuda_on_hip_half2uchar_rz(__half a) {
    const float value = __half2float(a);
    return !(value > 0.0f) ? 0 : value > 255.0f ? 255 : (unsigned char)value;
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
// a * b + c of complex numbers whose real part is the lower half.
CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_hcmadd(__half2 a, __half2 b, __half2 c) {
    const float ar = __low2float(a), ai = __high2float(a), br = __low2float(b), bi = __high2float(b);
    return __floats2half2_rn(__low2float(c) + ar * br - ai * bi, __high2float(c) + ar * bi + ai * br);
}

#define CUDA_ON_HIP_MASK(name, one)                                                             \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_##name##2_mask(__half2 a, __half2 b) {                \
        return (one(__low2half(a), __low2half(b)) ? 0xffffu : 0u) |                           \
               (one(__high2half(a), __high2half(b)) ? 0xffff0000u : 0u);                      \
    }
CUDA_ON_HIP_MASK(heq, __heq)
CUDA_ON_HIP_MASK(hne, __hne)
CUDA_ON_HIP_MASK(hlt, __hlt)
CUDA_ON_HIP_MASK(hle, __hle)
CUDA_ON_HIP_MASK(hgt, __hgt)
CUDA_ON_HIP_MASK(hge, __hge)
CUDA_ON_HIP_MASK(hequ, __hequ)
CUDA_ON_HIP_MASK(hneu, __hneu)
CUDA_ON_HIP_MASK(hltu, __hltu)
CUDA_ON_HIP_MASK(hleu, __hleu)
CUDA_ON_HIP_MASK(hgtu, __hgtu)
CUDA_ON_HIP_MASK(hgeu, __hgeu)
#undef CUDA_ON_HIP_MASK

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

// HIP's arithmetic is not contracted across function calls, which is what these forms ask for.
#define CUDA_ON_HIP_ROUNDED(name)                                                                     \
    CUDA_ON_HIP_DEVICE __half cuda_on_hip_##name##_rn(__half a, __half b) { return __##name(a, b); }  \
    CUDA_ON_HIP_DEVICE __half2 cuda_on_hip_##name##2_rn(__half2 a, __half2 b) { return __##name##2(a, b); }
CUDA_ON_HIP_ROUNDED(hadd)
CUDA_ON_HIP_ROUNDED(hsub)
CUDA_ON_HIP_ROUNDED(hmul)
#undef CUDA_ON_HIP_ROUNDED

#include <cuda_shim/narrow_names.h>
