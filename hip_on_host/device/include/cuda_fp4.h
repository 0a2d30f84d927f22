// Stands for CUDA's header of this name: floating-point numbers of 4 bits, two in a byte.
#pragma once
#include "cuda_fp6.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

typedef cuda_shim_tiny_format<2, 1, 0x7, 0x7, 0x7> cuda_shim_e2m1;
CUDA_SHIM_TINY_TYPES(fp4, e2m1, cuda_shim_e2m1, 4, __nv_fp4x2_storage_t, __nv_fp4x4_storage_t)

CUDA_SHIM_INLINE unsigned char cuda_shim_encode_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return cuda_shim_e2m1::encode(x);
}
CUDA_SHIM_INLINE float cuda_shim_decode_fp4(unsigned int code, __nv_fp4_interpretation_t) { return cuda_shim_e2m1::decode(code); }
CUDA_SHIM_TINY_ENCODERS(fp4, bfloat16raw2, 4, __nv_fp4x2_storage_t, cuda_shim_encode_fp4, __nv_fp4_interpretation_t, cudaRoundMode)
CUDA_SHIM_TINY_HALF_ENCODERS(fp4, 4, __nv_fp4x2_storage_t, cuda_shim_encode_fp4, __nv_fp4_interpretation_t, cudaRoundMode)
CUDA_SHIM_TINY_DECODERS(fp4, 4, __nv_fp4x2_storage_t, cuda_shim_decode_fp4, __nv_fp4_interpretation_t)
