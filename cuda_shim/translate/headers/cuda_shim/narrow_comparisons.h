// Comparisons of half precision and bfloat16, which HIP has for half precision with other answers beside a NaN.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

// One comparison of numbers and of pairs: as a bool, of both halves at once, as ones and zeros, and as masks. The type
// has functions cuda_on_hip_wide, cuda_on_hip_low, cuda_on_hip_high and cuda_on_hip_ones.
#define CUDA_ON_HIP_COMPARISON(T, T2, name, expression)                                                           \
    CUDA_ON_HIP_DEVICE bool cuda_on_hip_h##name(T p, T q) {                                                       \
        const float a = cuda_on_hip_wide(p), b = cuda_on_hip_wide(q);                                             \
        return expression;                                                                                        \
    }                                                                                                             \
    CUDA_ON_HIP_DEVICE bool cuda_on_hip_hb##name##2(T2 a, T2 b) {                                                 \
        return cuda_on_hip_h##name(cuda_on_hip_low(a), cuda_on_hip_low(b)) &&                                     \
               cuda_on_hip_h##name(cuda_on_hip_high(a), cuda_on_hip_high(b));                                     \
    }                                                                                                             \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_h##name##2_mask(T2 a, T2 b) {                                         \
        return (cuda_on_hip_h##name(cuda_on_hip_low(a), cuda_on_hip_low(b)) ? 0xffffu : 0u) |                     \
               (cuda_on_hip_h##name(cuda_on_hip_high(a), cuda_on_hip_high(b)) ? 0xffff0000u : 0u);                \
    }                                                                                                             \
    CUDA_ON_HIP_DEVICE T2 cuda_on_hip_h##name##2(T2 a, T2 b) {                                                    \
        return cuda_on_hip_ones(cuda_on_hip_h##name##2_mask(a, b), a);                                            \
    }
// All comparisons of a type; the unordered ones, whose names end in u, are true beside a NaN, the others false.
#define CUDA_ON_HIP_COMPARISONS(T, T2)                                       \
    CUDA_ON_HIP_COMPARISON(T, T2, eq, a == b)                                \
    CUDA_ON_HIP_COMPARISON(T, T2, ne, a < b || a > b)                        \
    CUDA_ON_HIP_COMPARISON(T, T2, lt, a < b)                                 \
    CUDA_ON_HIP_COMPARISON(T, T2, le, a <= b)                                \
    CUDA_ON_HIP_COMPARISON(T, T2, gt, a > b)                                 \
    CUDA_ON_HIP_COMPARISON(T, T2, ge, a >= b)                                \
    CUDA_ON_HIP_COMPARISON(T, T2, equ, !(a < b || a > b))                    \
    CUDA_ON_HIP_COMPARISON(T, T2, neu, !(a == b))                            \
    CUDA_ON_HIP_COMPARISON(T, T2, ltu, !(a >= b))                            \
    CUDA_ON_HIP_COMPARISON(T, T2, leu, !(a > b))                             \
    CUDA_ON_HIP_COMPARISON(T, T2, gtu, !(a <= b))                            \
    CUDA_ON_HIP_COMPARISON(T, T2, geu, !(a < b))
