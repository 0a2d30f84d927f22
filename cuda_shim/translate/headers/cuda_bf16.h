// cuda_bf16.h: bfloat16 as a type of its own, since HIP's has another name, and hiprtc of older ROCm has none.
//
// Arithmetic is done in float and rounded to nearest even, as GPUs without bfloat16 arithmetic do it.
#pragma once
#pragma GCC system_header
#include <cuda_shim/atomics.h>
#include <cuda_shim/bfloat16_names.h>
#include <cuda_shim/narrow_comparisons.h>
#include <cuda_shim/narrow_conversions.h>
#include <cuda_shim/warp.h>

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};

CUDA_ON_HIP_DEVICE float cuda_on_hip_from_bfloat16(unsigned short bits) { return cuda_on_hip_bits<float>((unsigned)bits << 16); }
CUDA_ON_HIP_DEVICE unsigned short cuda_on_hip_to_bfloat16(float value) {
    const unsigned bits = cuda_on_hip_bits<unsigned>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}
// Rounding towards zero truncates; up and down add a step if truncation lost bits and the sign fits the direction.
CUDA_ON_HIP_DEVICE unsigned short cuda_on_hip_to_bfloat16(float value, cuda_on_hip_direction direction) {
    const unsigned bits = cuda_on_hip_bits<unsigned>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    const bool outwards = direction == ((bits >> 31) ? cuda_on_hip_rd : cuda_on_hip_ru);
    return (unsigned short)((bits >> 16) + (outwards && (bits & 0xffffu) && (bits & 0x7fffffffu) < 0x7f800000u));
}

struct __nv_bfloat16 {
    unsigned short __x;

    __device__ __nv_bfloat16() = default;
    __device__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
    __device__ __nv_bfloat16(float value) : __x(cuda_on_hip_to_bfloat16(value)) {}
    __device__ __nv_bfloat16(double value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ __nv_bfloat16(int value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ __nv_bfloat16(unsigned value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ __nv_bfloat16(short value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ __nv_bfloat16(unsigned short value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ __nv_bfloat16(long long value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ __nv_bfloat16(unsigned long long value) : __x(cuda_on_hip_to_bfloat16(cuda_on_hip_odd(value))) {}
    __device__ operator float() const { return cuda_on_hip_from_bfloat16(__x); }
    __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    // Casts to integers saturate.
    __device__ explicit operator char() const { return cuda_on_hip_whole<char>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator signed char() const { return cuda_on_hip_whole<signed char>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator unsigned char() const { return cuda_on_hip_whole<unsigned char>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator short() const { return cuda_on_hip_whole<short>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator unsigned short() const { return cuda_on_hip_whole<unsigned short>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator int() const { return cuda_on_hip_whole<int>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator unsigned() const { return cuda_on_hip_whole<unsigned>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator long() const { return cuda_on_hip_whole<long>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator unsigned long() const { return cuda_on_hip_whole<unsigned long>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator long long() const { return cuda_on_hip_whole<long long>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator unsigned long long() const { return cuda_on_hip_whole<unsigned long long>(cuda_on_hip_from_bfloat16(__x)); }
    __device__ explicit operator bool() const { return (__x & 0x7fffu) != 0; }
    __device__ __nv_bfloat16& operator=(float value) { return *this = __nv_bfloat16(value); }
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __device__ __nv_bfloat162() = default;
    __device__ __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
    __device__ __nv_bfloat162(const __nv_bfloat162_raw& raw) {
        x.__x = raw.x;
        y.__x = raw.y;
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDA_ON_HIP_BF CUDA_ON_HIP_DEVICE __nv_bfloat16
#define CUDA_ON_HIP_BF2 CUDA_ON_HIP_DEVICE __nv_bfloat162

CUDA_ON_HIP_DEVICE float __bfloat162float(__nv_bfloat16 a) { return cuda_on_hip_from_bfloat16(a.__x); }
CUDA_ON_HIP_BF __float2bfloat16(float a) { return __nv_bfloat16(a); }
CUDA_ON_HIP_BF __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
CUDA_ON_HIP_BF __float2bfloat16_rz(float a) { return __nv_bfloat16(__nv_bfloat16_raw{cuda_on_hip_to_bfloat16(a, cuda_on_hip_rz)}); }
CUDA_ON_HIP_BF __float2bfloat16_ru(float a) { return __nv_bfloat16(__nv_bfloat16_raw{cuda_on_hip_to_bfloat16(a, cuda_on_hip_ru)}); }
CUDA_ON_HIP_BF __float2bfloat16_rd(float a) { return __nv_bfloat16(__nv_bfloat16_raw{cuda_on_hip_to_bfloat16(a, cuda_on_hip_rd)}); }
CUDA_ON_HIP_BF __double2bfloat16(double a) { return __nv_bfloat16(a); }
CUDA_ON_HIP_BF __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
CUDA_ON_HIP_BF __short_as_bfloat16(short bits) { return __ushort_as_bfloat16((unsigned short)bits); }
CUDA_ON_HIP_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
CUDA_ON_HIP_DEVICE short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }

// Rounding twice in the same direction is the same as rounding once.
#define CUDA_ON_HIP_ROUNDED(type, name, way)                                                       \
    CUDA_ON_HIP_BF __##name##2bfloat16_##way(type a) {                                             \
        return __float2bfloat16_##way(cuda_on_hip_integer_directed<float>(a, cuda_on_hip_##way));  \
    }
#define CUDA_ON_HIP_INTEGER(type, name)                                                              \
    CUDA_ON_HIP_BF __##name##2bfloat16_rn(type a) { return __nv_bfloat16(a); }                       \
    CUDA_ON_HIP_ROUNDED(type, name, rz)                                                            \
    CUDA_ON_HIP_ROUNDED(type, name, ru)                                                            \
    CUDA_ON_HIP_ROUNDED(type, name, rd)                                                            \
    CUDA_ON_HIP_DEVICE type __bfloat162##name##_rz(__nv_bfloat16 a) { return cuda_on_hip_whole<type>(__builtin_truncf(a)); } \
    CUDA_ON_HIP_DEVICE type __bfloat162##name##_rn(__nv_bfloat16 a) { return cuda_on_hip_whole<type>(__builtin_rintf(a)); } \
    CUDA_ON_HIP_DEVICE type __bfloat162##name##_ru(__nv_bfloat16 a) { return cuda_on_hip_whole<type>(__builtin_ceilf(a)); } \
    CUDA_ON_HIP_DEVICE type __bfloat162##name##_rd(__nv_bfloat16 a) { return cuda_on_hip_whole<type>(__builtin_floorf(a)); }
CUDA_ON_HIP_INTEGER(int, int)
CUDA_ON_HIP_INTEGER(unsigned, uint)
CUDA_ON_HIP_INTEGER(short, short)
CUDA_ON_HIP_INTEGER(unsigned short, ushort)
CUDA_ON_HIP_INTEGER(long long, ll)
CUDA_ON_HIP_INTEGER(unsigned long long, ull)
#undef CUDA_ON_HIP_INTEGER
#undef CUDA_ON_HIP_ROUNDED
CUDA_ON_HIP_DEVICE signed char __bfloat162char_rz(__nv_bfloat16 a) { return cuda_on_hip_whole<signed char>(a); }
CUDA_ON_HIP_DEVICE unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) { return cuda_on_hip_whole<unsigned char>(a); }

#include <cuda_shim/bfloat16_arithmetic.h>

CUDA_ON_HIP_BF2 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return {low, high}; }
CUDA_ON_HIP_BF2 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return {low, high}; }
CUDA_ON_HIP_BF2 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
CUDA_ON_HIP_BF2 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
CUDA_ON_HIP_BF2 __floats2bfloat162_rn(float low, float high) { return {__nv_bfloat16(low), __nv_bfloat16(high)}; }
CUDA_ON_HIP_BF2 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
CUDA_ON_HIP_DEVICE float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
CUDA_ON_HIP_BF __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUDA_ON_HIP_BF __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUDA_ON_HIP_DEVICE float __low2float(__nv_bfloat162 a) { return a.x; }
CUDA_ON_HIP_DEVICE float __high2float(__nv_bfloat162 a) { return a.y; }
CUDA_ON_HIP_BF2 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
CUDA_ON_HIP_BF2 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
CUDA_ON_HIP_BF2 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
CUDA_ON_HIP_BF2 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
CUDA_ON_HIP_BF2 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }

CUDA_ON_HIP_BF2 cuda_on_hip_atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
    unsigned* word = (unsigned*)address;
    unsigned old = *(volatile unsigned*)word, seen;
    for (;;) {
        seen = cuda_on_hip_atomicCAS(word, old, cuda_on_hip_bits<unsigned>(__hadd2(cuda_on_hip_bits<__nv_bfloat162>(old), value)));
        if (seen == old) return cuda_on_hip_bits<__nv_bfloat162>(old);
        old = seen;
    }
}
CUDA_ON_HIP_BF cuda_on_hip_atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
    unsigned* word = (unsigned*)((size_t)address & ~(size_t)3);
    const unsigned shift = ((size_t)address & 2) * 8;
    unsigned old = *(volatile unsigned*)word, seen;
    for (;;) {
        const __nv_bfloat16 sum = __hadd(__ushort_as_bfloat16((unsigned short)(old >> shift)), value);
        seen = cuda_on_hip_atomicCAS(word, old, (old & ~(0xffffu << shift)) | ((unsigned)sum.__x << shift));
        if (seen == old) return __ushort_as_bfloat16((unsigned short)(old >> shift));
        old = seen;
    }
}
#undef CUDA_ON_HIP_BF
#undef CUDA_ON_HIP_BF2
#include <cuda_shim/narrow_names.h>
