// Stands for CUDA's header of this name: bfloat16, the upper half of a float.
#pragma once
// Part for HIP programs without own ones with names that begin with: __hip_bfloat16 hip_bfloat16
#include "cuda_fp16.h"  // as NVIDIA's includes it

struct CUDA_SHIM_ALIGNED(2) __nv_bfloat16_raw { unsigned short x; };
struct CUDA_SHIM_ALIGNED(4) __nv_bfloat162_raw { unsigned short x, y; };

struct CUDA_SHIM_ALIGNED(2) __nv_bfloat16 {
    union { unsigned short __x, data; };  // NVIDIA's name for it, which CUDA's C++ core libraries look at, and HIP's
    CUDA_SHIM_NARROW_CONVERSIONS(__nv_bfloat16)
    CUDA_SHIM_NARROW_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
    CUDA_SHIM_NARROW_MEMBER constexpr operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    CUDA_SHIM_NARROW_MEMBER operator __nv_bfloat16_raw() const volatile { return __nv_bfloat16_raw{__x}; }
    CUDA_SHIM_NARROW_MEMBER __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) {
        __x = raw.x;
        return *this;
    }
    CUDA_SHIM_NARROW_MEMBER volatile __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) volatile {
        __x = raw.x;
        return *this;
    }
    CUDA_SHIM_NARROW_MEMBER static constexpr __nv_bfloat16 from_bits(unsigned short bits) {
        return __nv_bfloat16(__nv_bfloat16_raw{bits});
    }
    CUDA_SHIM_NARROW_MEMBER static __nv_bfloat16 from(float x) {
        const unsigned int wide = cuda_shim_bits<unsigned int>(x);
        // Rounds to nearest, ties to even; a NaN stays one even if its payload is in the lost bits.
        return from_bits(x != x ? 0x7fff : (unsigned short)((wide + 0x7fffu + ((wide >> 16) & 1)) >> 16));
    }
    CUDA_SHIM_NARROW_MEMBER static __nv_bfloat16 from(double x) {
        // Rounded to odd on the way, so that the second rounding cannot be misled by the first.
        float near = (float)x;
        if ((double)near != x && x == x && !(cuda_shim_bits<unsigned int>(near) & 1)) {
            const bool away = __builtin_fabs((double)near) < __builtin_fabs(x);
            near = cuda_shim_bits<float>(cuda_shim_bits<unsigned int>(near) + (away ? 1u : ~0u));
        }
        return from(near);
    }
    // Exponents may be so far apart that a double cannot hold the sum: its rounding error decides a tie.
    CUDA_SHIM_NARROW_MEMBER static __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
        const double product = (double)(float)a * (float)b, summand = (double)(float)c, sum = product + summand;
        return from(cuda_shim_to_odd(sum, cuda_shim_sum_error(product, summand, sum)));
    }
    CUDA_SHIM_NARROW_MEMBER static __nv_bfloat16 from(bool x) { return from(x ? 1.0f : 0.0f); }
    CUDA_SHIM_NARROW_MEMBER operator float() const { return cuda_shim_bits<float>((unsigned int)__x << 16); }
};
CUDA_SHIM_NARROW_FLOAT(__nv_bfloat16, __nv_bfloat162, __nv_bfloat162_raw)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, +)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, -)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, *)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, /)
CUDA_SHIM_NARROW_ROUNDINGS(__nv_bfloat16, bfloat16)
CUDA_SHIM_NARROW_PAIRS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#ifndef CUDA_SHIM_CUDA
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat16 hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
#endif
CUDA_SHIM_INLINE float __bfloat162float(__nv_bfloat16 h) { return h; }

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
