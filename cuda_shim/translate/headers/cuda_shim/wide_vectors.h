// Vectors of four 64-bit numbers, which CUDA aligns to 16 bytes and HIP to 32.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

#define CUDA_ON_HIP_WIDE_VECTOR(name, type)                                                         \
    struct __attribute__((aligned(16))) cuda_on_hip_##name {                                        \
        type x, y, z, w;                                                                            \
    };                                                                                              \
    CUDA_ON_HIP_DEVICE cuda_on_hip_##name cuda_on_hip_make_##name(type x, type y, type z, type w) { \
        return {x, y, z, w};                                                                        \
    }
CUDA_ON_HIP_WIDE_VECTOR(double4, double)
CUDA_ON_HIP_WIDE_VECTOR(long4, long)
CUDA_ON_HIP_WIDE_VECTOR(ulong4, unsigned long)
CUDA_ON_HIP_WIDE_VECTOR(longlong4, long long)
CUDA_ON_HIP_WIDE_VECTOR(ulonglong4, unsigned long long)
#undef CUDA_ON_HIP_WIDE_VECTOR
