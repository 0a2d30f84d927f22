// Stands for CUDA's header of this name: IEEE half precision.
#pragma once
#include "../prelude/narrow_float.h"

struct CUDA_SHIM_ALIGNED(2) __half_raw { unsigned short x; };
struct CUDA_SHIM_ALIGNED(4) __half2_raw { unsigned short x, y; };

#ifdef __FLT16_MANT_DIG__
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(double x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) { return (float)__builtin_bit_cast(_Float16, h); }
#else
// Compilers that have no such type: the same by integer arithmetic.
static inline float cuda_shim_from_half(unsigned short h) {
    const unsigned int sign = (h & 0x8000u) << 16, exponent = (h >> 10) & 31, fraction = h & 0x3ffu;
    if (exponent == 31) return cuda_shim_bits<float>(sign | 0x7f800000u | (fraction << 13));
    const float magnitude = exponent ? cuda_shim_bits<float>(((exponent + 112) << 23) | (fraction << 13))
                                     : (float)fraction * 5.9604644775390625e-8f;
    return sign ? -magnitude : magnitude;
}
static inline unsigned short cuda_shim_to_half(double x) {
    const unsigned short sign = __builtin_signbit(x) ? 0x8000 : 0;
    if (x != x) return sign | 0x7e00;
    const double magnitude = __builtin_fabs(x);
    if (magnitude >= 65520.0) return sign | 0x7c00;
    // Scaled so that one unit of the result is 1, then rounded to even by the host.
    int exponent = magnitude < 6.103515625e-05 ? -14 : __builtin_ilogb(magnitude);
    const unsigned int units = (unsigned int)__builtin_rint(__builtin_ldexp(magnitude, 10 - exponent));
    // Carries into the exponent come out right, since the fields lie side by side.
    return (unsigned short)(sign | (exponent == -14 && units < 1024 ? units : ((unsigned int)(exponent + 14) << 10) + units));
}
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) { return cuda_shim_to_half((double)x); }
#endif

struct CUDA_SHIM_ALIGNED(2) __half {
    unsigned short __x;  // NVIDIA's name for it: CUDA's C++ core libraries look at it
    CUDA_SHIM_NARROW_CONVERSIONS(__half)
    CUDA_SHIM_NARROW_MEMBER constexpr __half(const __half_raw& raw) : __x(raw.x) {}
    CUDA_SHIM_NARROW_MEMBER constexpr operator __half_raw() const { return __half_raw{__x}; }
    CUDA_SHIM_NARROW_MEMBER operator __half_raw() const volatile { return __half_raw{__x}; }
    CUDA_SHIM_NARROW_MEMBER volatile __half& operator=(const __half_raw& raw) volatile {
        __x = raw.x;
        return *this;
    }
    CUDA_SHIM_NARROW_MEMBER static constexpr __half from_bits(unsigned short bits) { return __half(__half_raw{bits}); }
    CUDA_SHIM_NARROW_MEMBER static __half from(double x) { return from_bits(cuda_shim_to_half(x)); }
    CUDA_SHIM_NARROW_MEMBER static __half from(float x) { return from_bits(cuda_shim_to_half(x)); }
    CUDA_SHIM_NARROW_MEMBER static __half from(bool x) { return from(x ? 1.0f : 0.0f); }
    // Where a double cannot hold the sum of a product and a third number, the product is too large for a half.
    CUDA_SHIM_NARROW_MEMBER static __half from_sum(double product, double summand) { return from(product + summand); }
    CUDA_SHIM_NARROW_MEMBER operator float() const { return cuda_shim_from_half(__x); }
};
CUDA_SHIM_NARROW_FLOAT(__half, __half2, __half2_raw)
CUDA_SHIM_NARROW_MIXED(__half, int, +)
CUDA_SHIM_NARROW_MIXED(__half, int, -)
CUDA_SHIM_NARROW_MIXED(__half, int, *)
CUDA_SHIM_NARROW_MIXED(__half, int, /)
CUDA_SHIM_NARROW_ROUNDINGS(__half, half)
CUDA_SHIM_NARROW_PAIRS(__half, __half2, half, half2)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
CUDA_SHIM_INLINE float __half2float(__half h) { return h; }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
