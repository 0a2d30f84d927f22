// Stands for CUDA's header of this name: IEEE half precision.
#pragma once
// Part for HIP programs without own ones with names that begin with: __half __float2half
#include "../prelude/half_arithmetic.h"
#include "../prelude/narrow_float.h"

struct CUDA_SHIM_ALIGNED(2) __half_raw { unsigned short x; };
struct CUDA_SHIM_ALIGNED(4) __half2_raw { unsigned short x, y; };

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
    CUDA_SHIM_NARROW_MEMBER static __half fused(__half a, __half b, __half c) {
        return from_bits(cuda_shim_fused_half(a.__x, b.__x, c.__x));
    }
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
