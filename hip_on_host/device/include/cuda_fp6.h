// Stands for CUDA's header of this name: floating-point numbers of 6 bits, each in a byte.
#pragma once
#include "cuda_fp8.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

typedef cuda_shim_tiny_format<2, 3, 0x1f, 0x1f, 0x1f> cuda_shim_e2m3;
typedef cuda_shim_tiny_format<3, 2, 0x1f, 0x1f, 0x1f> cuda_shim_e3m2;
CUDA_SHIM_TINY_TYPES(fp6, e2m3, cuda_shim_e2m3, 8, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t)
CUDA_SHIM_TINY_TYPES(fp6, e3m2, cuda_shim_e3m2, 8, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t)

// Rounding to nearest is the only one there is.
CUDA_SHIM_INLINE unsigned char cuda_shim_encode_fp6(double x, __nv_fp6_interpretation_t how, cudaRoundMode) {
    return how == __NV_E2M3 ? cuda_shim_e2m3::encode(x) : cuda_shim_e3m2::encode(x);
}
CUDA_SHIM_INLINE float cuda_shim_decode_fp6(unsigned int code, __nv_fp6_interpretation_t how) {
    return how == __NV_E2M3 ? cuda_shim_e2m3::decode(code) : cuda_shim_e3m2::decode(code);
}
CUDA_SHIM_TINY_ENCODERS(fp6, bfloat16raw2, 8, __nv_fp6x2_storage_t, cuda_shim_encode_fp6, __nv_fp6_interpretation_t, cudaRoundMode)
CUDA_SHIM_TINY_HALF_ENCODERS(fp6, 8, __nv_fp6x2_storage_t, cuda_shim_encode_fp6, __nv_fp6_interpretation_t, cudaRoundMode)
CUDA_SHIM_TINY_DECODERS(fp6, 8, __nv_fp6x2_storage_t, cuda_shim_decode_fp6, __nv_fp6_interpretation_t)
