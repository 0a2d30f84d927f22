// Stands for CUDA's header of this name: floating-point numbers of 8 bits, and exponents of 8 bits.
#pragma once
#include "../prelude/tiny_float.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

typedef cuda_shim_tiny_format<4, 3, 0x7e, 0x7f, 0x7f> cuda_shim_e4m3;
typedef cuda_shim_tiny_format<5, 2, 0x7b, 0x7c, 0x7f> cuda_shim_e5m2;

// A power of two, from 2^-127 on; of a number, its magnitude is meant.
struct cuda_shim_e8m0 {
    static unsigned char encode(double x, bool finite = true, cudaRoundMode rounding = cudaRoundPosInf) {
        if (x != x) return 0xff;
        const unsigned long long bits = cuda_shim_bits<unsigned long long>(x) & ~0ull >> 1;
        int code = (int)(bits >> 52) - 1023 + 127;
        const unsigned long long fraction = bits & ((1ull << 52) - 1);
        if (code < 0) return 0;
        if (rounding == cudaRoundNearest) code += fraction >> 51 ? 1 : 0;
        else if (rounding != cudaRoundZero) code += fraction ? 1 : 0;
        else if (!__builtin_isinf(x)) finite = true;
        return (unsigned char)(code <= 0xfe ? code : finite ? 0xfe : 0xff);
    }
    static unsigned char encode_double(double x) { return encode(x); }
    static float decode(unsigned int code) {
        if (code == 0xff) return cuda_shim_bits<float>(0x7fffffffu);
        return cuda_shim_bits<float>(code ? code << 23 : 0x00400000u);
    }
    static bool is_something(unsigned int) { return true; }
    // A double rounded to odd stays on the same side of every power of two.
    template <class Integer> static double from_integer(Integer x) {
        return x < 0 ? cuda_shim_to_odd((long long)x) : cuda_shim_to_odd((unsigned long long)x);
    }
};

CUDA_SHIM_TINY_TYPES(fp8, e4m3, cuda_shim_e4m3, 8, __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)
CUDA_SHIM_TINY_TYPES(fp8, e5m2, cuda_shim_e5m2, 8, __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)
CUDA_SHIM_TINY_TYPES(fp8, e8m0, cuda_shim_e8m0, 8, __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)

CUDA_SHIM_INLINE unsigned char cuda_shim_encode_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t how) {
    const bool finite = saturate != __NV_NOSAT;
    return how == __NV_E5M2 ? cuda_shim_e5m2::encode_double(x, finite) : cuda_shim_e4m3::encode_double(x, finite);
}
CUDA_SHIM_INLINE unsigned char cuda_shim_encode_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t how) {
    const bool finite = saturate != __NV_NOSAT;
    return how == __NV_E5M2 ? cuda_shim_e5m2::encode(x, finite) : cuda_shim_e4m3::encode(x, finite);
}
CUDA_SHIM_INLINE float cuda_shim_decode_fp8(unsigned int code, __nv_fp8_interpretation_t how) {
    return how == __NV_E5M2 ? cuda_shim_e5m2::decode(code) : cuda_shim_e4m3::decode(code);
}
CUDA_SHIM_TINY_ENCODERS(fp8, bfloat16raw2, 8, __nv_fp8x2_storage_t, cuda_shim_encode_fp8, __nv_saturation_t, __nv_fp8_interpretation_t)
CUDA_SHIM_TINY_HALF_ENCODERS(fp8, 8, __nv_fp8x2_storage_t, cuda_shim_encode_fp8, __nv_saturation_t, __nv_fp8_interpretation_t)
CUDA_SHIM_TINY_DECODERS(fp8, 8, __nv_fp8x2_storage_t, cuda_shim_decode_fp8, __nv_fp8_interpretation_t)

CUDA_SHIM_INLINE unsigned char cuda_shim_encode_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    return cuda_shim_e8m0::encode(x, saturate != __NV_NOSAT, rounding);
}
CUDA_SHIM_TINY_ENCODERS(e8m0, bfloat162raw, 8, __nv_fp8x2_storage_t, cuda_shim_encode_e8m0, __nv_saturation_t, cudaRoundMode)
CUDA_SHIM_INLINE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t code) {
    return __nv_bfloat16(cuda_shim_e8m0::decode(code));
}
CUDA_SHIM_INLINE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t codes) {
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(codes & 0xff)).x,
                              __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(codes >> 8)).x};
}
