// Stands for CUDA's header of this name: IEEE half precision.
#pragma once
#include "../prelude/narrow_float.h"

struct CUDA_SHIM_ALIGNED(2) __half_raw { unsigned short x; };
struct CUDA_SHIM_ALIGNED(4) __half2_raw { unsigned short x, y; };

#ifdef __FLT16_MANT_DIG__
typedef _Float16 cuda_shim_half_storage;
CUDA_SHIM_INLINE cuda_shim_half_storage cuda_shim_to_half(double x) { return (_Float16)x; }
CUDA_SHIM_INLINE cuda_shim_half_storage cuda_shim_to_half(float x) { return (_Float16)x; }
CUDA_SHIM_INLINE float cuda_shim_from_half(cuda_shim_half_storage h) { return (float)h; }
#else
// Compilers that have no such type: the same by integer arithmetic.
typedef unsigned short cuda_shim_half_storage;
static inline float cuda_shim_from_half(cuda_shim_half_storage h) {
    const unsigned int sign = (h & 0x8000u) << 16, exponent = (h >> 10) & 31, fraction = h & 0x3ffu;
    if (exponent == 31) return cuda_shim_bits<float>(sign | 0x7f800000u | (fraction << 13));
    const float magnitude = exponent ? cuda_shim_bits<float>(((exponent + 112) << 23) | (fraction << 13))
                                     : (float)fraction * 5.9604644775390625e-8f;
    return sign ? -magnitude : magnitude;
}
static inline cuda_shim_half_storage cuda_shim_to_half(double x) {
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
CUDA_SHIM_INLINE cuda_shim_half_storage cuda_shim_to_half(float x) { return cuda_shim_to_half((double)x); }
#endif

struct CUDA_SHIM_ALIGNED(2) __half {
    cuda_shim_half_storage value;
    CUDA_SHIM_NARROW_CONVERSIONS(__half)
    CUDA_SHIM_NARROW_MEMBER __half(__half_raw raw) { __builtin_memcpy((void*)this, &raw, 2); }
    CUDA_SHIM_NARROW_MEMBER operator __half_raw() const { __half_raw raw; __builtin_memcpy(&raw, this, 2); return raw; }
    CUDA_SHIM_NARROW_MEMBER static __half from(double x) { __half h; h.value = cuda_shim_to_half(x); return h; }
    CUDA_SHIM_NARROW_MEMBER static __half from(float x) { __half h; h.value = cuda_shim_to_half(x); return h; }
    CUDA_SHIM_NARROW_MEMBER static __half from(bool x) { return from(x ? 1.0f : 0.0f); }
    CUDA_SHIM_NARROW_MEMBER operator float() const { return cuda_shim_from_half(value); }
};
CUDA_SHIM_NARROW_FLOAT(__half, __half2)
#define CUDA_SHIM_HALF_MIXED(S)                                                                             \
    CUDA_SHIM_NARROW_MIXED(__half, S, +) CUDA_SHIM_NARROW_MIXED(__half, S, -)                               \
    CUDA_SHIM_NARROW_MIXED(__half, S, *) CUDA_SHIM_NARROW_MIXED(__half, S, /)
CUDA_SHIM_HALF_MIXED(int)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

CUDA_SHIM_INLINE unsigned short __half_as_ushort(__half h) { return cuda_shim_bits<unsigned short>(h); }
CUDA_SHIM_INLINE short __half_as_short(__half h) { return cuda_shim_bits<short>(h); }
CUDA_SHIM_INLINE __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
CUDA_SHIM_INLINE __half __short_as_half(short bits) { return __half(__half_raw{(unsigned short)bits}); }

CUDA_SHIM_INLINE float __half2float(__half h) { return h; }
CUDA_SHIM_INLINE __half __float2half(float x) { return __half::from(x); }
CUDA_SHIM_INLINE __half __float2half_rn(float x) { return __half::from(x); }
CUDA_SHIM_INLINE __half __double2half(double x) { return __half::from(x); }
// The neighbour where rounding to nearest went the other way; halves of one sign are ordered as their bits.
CUDA_SHIM_INLINE __half cuda_shim_half_step(__half h, int direction) {
    const unsigned short bits = __half_as_ushort(h);
    if ((bits & 0x7fff) == 0) return __ushort_as_half(direction > 0 ? 0x0001 : 0x8001);
    return __ushort_as_half((unsigned short)(bits + ((bits & 0x8000) ? -direction : direction)));
}
CUDA_SHIM_INLINE __half __float2half_ru(float x) { __half h = __half::from(x); return (float)h < x ? cuda_shim_half_step(h, 1) : h; }
CUDA_SHIM_INLINE __half __float2half_rd(float x) { __half h = __half::from(x); return (float)h > x ? cuda_shim_half_step(h, -1) : h; }
CUDA_SHIM_INLINE __half __float2half_rz(float x) { return x > 0 ? __float2half_rd(x) : __float2half_ru(x); }
#define CUDA_SHIM_HALF_INTEGER(T, name)                                                                \
    CUDA_SHIM_INLINE __half __##name##2half_rn(T x) { return __half::from((double)x); }                \
    CUDA_SHIM_INLINE T __half2##name##_rn(__half h) { return cuda_shim_saturate<T>(__builtin_rint((double)(float)h)); }  \
    CUDA_SHIM_INLINE T __half2##name##_rz(__half h) { return cuda_shim_saturate<T>(__builtin_trunc((double)(float)h)); } \
    CUDA_SHIM_INLINE T __half2##name##_rd(__half h) { return cuda_shim_saturate<T>(__builtin_floor((double)(float)h)); } \
    CUDA_SHIM_INLINE T __half2##name##_ru(__half h) { return cuda_shim_saturate<T>(__builtin_ceil((double)(float)h)); }
CUDA_SHIM_HALF_INTEGER(int, int)
CUDA_SHIM_HALF_INTEGER(unsigned int, uint)
CUDA_SHIM_HALF_INTEGER(short, short)
CUDA_SHIM_HALF_INTEGER(unsigned short, ushort)
CUDA_SHIM_HALF_INTEGER(long long, ll)
CUDA_SHIM_HALF_INTEGER(unsigned long long, ull)

CUDA_SHIM_INLINE __half2 __floats2half2_rn(float x, float y) { return __half2(__half::from(x), __half::from(y)); }
CUDA_SHIM_INLINE __half2 __float2half2_rn(float x) { return __floats2half2_rn(x, x); }
CUDA_SHIM_INLINE __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
CUDA_SHIM_INLINE float2 __half22float2(__half2 h) { return make_float2(h.x, h.y); }
CUDA_SHIM_INLINE float __low2float(__half2 h) { return h.x; }
CUDA_SHIM_INLINE float __high2float(__half2 h) { return h.y; }
CUDA_SHIM_INLINE __half __low2half(__half2 h) { return h.x; }
CUDA_SHIM_INLINE __half __high2half(__half2 h) { return h.y; }
CUDA_SHIM_INLINE __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
CUDA_SHIM_INLINE __half2 make_half2(__half x, __half y) { return __half2(x, y); }
CUDA_SHIM_INLINE __half2 __half2half2(__half h) { return __half2(h, h); }
CUDA_SHIM_INLINE __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
CUDA_SHIM_INLINE __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
CUDA_SHIM_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
CUDA_SHIM_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
CUDA_SHIM_INLINE __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
