// Stands for CUDA's header of this name: bfloat16, the upper half of a float.
#pragma once
#include "../prelude/narrow_float.h"

struct CUDA_SHIM_ALIGNED(2) __nv_bfloat16_raw { unsigned short x; };

struct CUDA_SHIM_ALIGNED(2) __nv_bfloat16 {
    unsigned short bits;
    CUDA_SHIM_NARROW_CONVERSIONS(__nv_bfloat16)
    CUDA_SHIM_NARROW_MEMBER __nv_bfloat16(__nv_bfloat16_raw raw) : bits(raw.x) {}
    CUDA_SHIM_NARROW_MEMBER static __nv_bfloat16 from(float x) {
        const unsigned int wide = cuda_shim_bits<unsigned int>(x);
        __nv_bfloat16 h;
        // To nearest, ties to even; a NaN stays one even if its payload lies below.
        h.bits = x != x ? 0x7fff : (unsigned short)((wide + 0x7fffu + ((wide >> 16) & 1)) >> 16);
        return h;
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
    CUDA_SHIM_NARROW_MEMBER static __nv_bfloat16 from(bool x) { return from(x ? 1.0f : 0.0f); }
    CUDA_SHIM_NARROW_MEMBER operator float() const { return cuda_shim_bits<float>((unsigned int)bits << 16); }
};
CUDA_SHIM_NARROW_FLOAT(__nv_bfloat16, __nv_bfloat162)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, +)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, -)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, *)
CUDA_SHIM_NARROW_MIXED(__nv_bfloat16, int, /)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;

CUDA_SHIM_INLINE float __bfloat162float(__nv_bfloat16 h) { return h; }
CUDA_SHIM_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16::from(x); }
CUDA_SHIM_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16::from(x); }
CUDA_SHIM_INLINE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16::from(x); }
CUDA_SHIM_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.bits; }
CUDA_SHIM_INLINE short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.bits; }
CUDA_SHIM_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
CUDA_SHIM_INLINE __nv_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16((unsigned short)bits); }
CUDA_SHIM_INLINE int __bfloat162int_rz(__nv_bfloat16 h) { return __float2int_rz(h); }
CUDA_SHIM_INLINE int __bfloat162int_rn(__nv_bfloat16 h) { return __float2int_rn(h); }
CUDA_SHIM_INLINE __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16::from((double)x); }
CUDA_SHIM_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return __nv_bfloat162(__nv_bfloat16::from(x), __nv_bfloat16::from(y));
}
CUDA_SHIM_INLINE __nv_bfloat162 __float2bfloat162_rn(float x) { return __floats2bfloat162_rn(x, x); }
CUDA_SHIM_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
CUDA_SHIM_INLINE float2 __bfloat1622float2(__nv_bfloat162 h) { return make_float2(h.x, h.y); }
CUDA_SHIM_INLINE float __low2float(__nv_bfloat162 h) { return h.x; }
CUDA_SHIM_INLINE float __high2float(__nv_bfloat162 h) { return h.y; }
CUDA_SHIM_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
CUDA_SHIM_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
CUDA_SHIM_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
CUDA_SHIM_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
CUDA_SHIM_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
// The other roundings: the upper half is the number cut towards zero, and its neighbour lies away from it.
CUDA_SHIM_INLINE __nv_bfloat16 __float2bfloat16_rz(float x) {
    return x != x ? __nv_bfloat16::from(x) : __ushort_as_bfloat16((unsigned short)(cuda_shim_bits<unsigned int>(x) >> 16));
}
CUDA_SHIM_INLINE __nv_bfloat16 cuda_shim_bfloat16_away(float x) {
    const __nv_bfloat16 cut = __float2bfloat16_rz(x);
    return (float)cut == x || x != x ? cut : __ushort_as_bfloat16((unsigned short)(cut.bits + 1));
}
CUDA_SHIM_INLINE __nv_bfloat16 __float2bfloat16_ru(float x) { return x > 0 ? cuda_shim_bfloat16_away(x) : __float2bfloat16_rz(x); }
CUDA_SHIM_INLINE __nv_bfloat16 __float2bfloat16_rd(float x) { return x < 0 ? cuda_shim_bfloat16_away(x) : __float2bfloat16_rz(x); }
CUDA_SHIM_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
CUDA_SHIM_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
CUDA_SHIM_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
CUDA_SHIM_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
CUDA_SHIM_INLINE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }
