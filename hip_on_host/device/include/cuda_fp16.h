// Stands for CUDA's header of this name: IEEE half precision.
#pragma once
// Part for HIP programs without own ones with names that begin with: __half __float2half
#include "../prelude/narrow_float.h"

struct CUDA_SHIM_ALIGNED(2) __half_raw { unsigned short x; };
struct CUDA_SHIM_ALIGNED(4) __half2_raw { unsigned short x, y; };

#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_UNCONTRACTED _Pragma("clang fp contract(off)")
#else
#define CUDA_SHIM_UNCONTRACTED
#endif
#if defined(__F16C__) && !defined(CUDA_SHIM_CLANG)
// The processor's instructions: GCC makes two conversions in a row, from half to double, a call of one function.
typedef short cuda_shim_eight_halves __attribute__((vector_size(16)));
typedef float cuda_shim_four_floats __attribute__((vector_size(16)));
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) {
    return __builtin_ia32_vcvtph2ps(cuda_shim_eight_halves{(short)h})[0];
}
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) {
    return (unsigned short)__builtin_ia32_vcvtps2ph(cuda_shim_four_floats{x}, 0)[0];
}
#elif defined(__FLT16_MANT_DIG__)
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) {
    CUDA_SHIM_UNCONTRACTED
    return __builtin_bit_cast(unsigned short, (_Float16)x);
}
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) { return (float)__builtin_bit_cast(_Float16, h); }
#else
// The same by arithmetic.
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) {
    const unsigned int sign = (h & 0x8000u) << 16, magnitude = (h & 0x7fffu) << 13;
    const unsigned int finite = cuda_shim_bits<unsigned int>(cuda_shim_bits<float>(magnitude) * 0x1p112f);
    return cuda_shim_bits<float>(sign | ((h & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : finite));
}
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) {
    const unsigned int bits = cuda_shim_bits<unsigned int>(x), magnitude = bits & 0x7fffffffu;
    // Rounded to even as whole numbers: a carry into the exponent comes out right, since the fields are adjacent.
    const unsigned int normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
    // The unit of 0.5f is the least half: the host rounds.
    const unsigned int small = cuda_shim_bits<unsigned int>(cuda_shim_bits<float>(magnitude) + 0.5f) - 0x3f000000u;
    const unsigned int finite = magnitude < 0x38800000u ? small : normal;
    const unsigned int special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return (unsigned short)(((bits >> 16) & 0x8000u) | (magnitude >= 0x477ff000u ? special : finite));
}
#endif
// Converts by way of a float that is rounded to odd: its last bit is set if any of the dropped bits was, so that only
// the second rounding rounds. Numbers beyond a float's exponents are zero or too large for a half either way. No
// processor converts doubles to halves, and a call would keep compilers from vectorising: where operations may be
// contracted, some compilers merge the two conversions.
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(double x) {
    CUDA_SHIM_UNCONTRACTED
    const unsigned long long bits = cuda_shim_bits<unsigned long long>(x), lost = bits & 0x1fffffffull;
    return cuda_shim_to_half((float)cuda_shim_bits<double>((bits ^ lost) | ((lost + 0x1fffffffull) & 0x20000000ull)));
}

struct CUDA_SHIM_ALIGNED(2) __half {
    unsigned short __x;  // NVIDIA's name for it: CUDA's C++ core libraries look at it
    CUDA_SHIM_NARROW_CONVERSIONS(__half)
    CUDA_SHIM_NARROW_MEMBER constexpr __half(const __half_raw& raw) : __x(raw.x) {}
    CUDA_SHIM_NARROW_MEMBER constexpr operator __half_raw() const { return __half_raw{__x}; }
    CUDA_SHIM_NARROW_MEMBER operator __half_raw() const volatile { return __half_raw{__x}; }
    CUDA_SHIM_NARROW_MEMBER __half& operator=(const __half_raw& raw) {
        __x = raw.x;
        return *this;
    }
    CUDA_SHIM_NARROW_MEMBER volatile __half& operator=(const __half_raw& raw) volatile {
        __x = raw.x;
        return *this;
    }
    CUDA_SHIM_NARROW_MEMBER static constexpr __half from_bits(unsigned short bits) { return __half(__half_raw{bits}); }
    CUDA_SHIM_NARROW_MEMBER static __half from(double x) { return from_bits(cuda_shim_to_half(x)); }
    CUDA_SHIM_NARROW_MEMBER static __half from(float x) { return from_bits(cuda_shim_to_half(x)); }
    CUDA_SHIM_NARROW_MEMBER static __half from(bool x) { return from(x ? 1.0f : 0.0f); }
    // If a double cannot hold the sum of a product and a third number, the product is too large for a half.
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
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
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
