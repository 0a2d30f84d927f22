// The fast approximations on floating point numbers, most of which are exact functions here, and the parts of
// conversions with a rounding mode. (Arithmetic with a rounding mode is in rounded_arithmetic.h.)
#pragma once

// glibc declares several of these names (as parts of its own), so they are macros for ours.
#define CUDA_SHIM_FAST_1(name, expression) \
    CUDA_SHIM_INLINE float cuda_shim_##name(float x) { return expression; }
CUDA_SHIM_FAST_1(expf, expf(x))
CUDA_SHIM_FAST_1(exp10f_fast, cuda_shim_exp10(x))
CUDA_SHIM_FAST_1(logf, logf(x))
CUDA_SHIM_FAST_1(log2f, log2f(x))
CUDA_SHIM_FAST_1(log10f, log10f(x))
CUDA_SHIM_FAST_1(sinf, sinf(x))
CUDA_SHIM_FAST_1(cosf, cosf(x))
CUDA_SHIM_FAST_1(tanf, tanf(x))
// Computed by logarithms, as CUDA documents: negative numbers, and zero to the power of zero, have no result.
CUDA_SHIM_INLINE float cuda_shim_powf(float x, float y) { return exp2f(y * log2f(x)); }
CUDA_SHIM_FAST_1(tanhf, tanhf(x))
#define __expf cuda_shim_expf
#define __exp10f cuda_shim_exp10f_fast
#define __logf cuda_shim_logf
#define __log2f cuda_shim_log2f
#define __log10f cuda_shim_log10f
#define __sinf cuda_shim_sinf
#define __cosf cuda_shim_cosf
#define __tanf cuda_shim_tanf
#define __tanhf cuda_shim_tanhf
#define __powf cuda_shim_powf
#define __sincosf cuda_shim_sincosf
#if !defined(CUDA_SHIM_CUDA) || CUDA_SHIM_CUDA >= 13000
CUDA_SHIM_INLINE float __sin2pif(float x) { return sinpif(2.0f * x); }
CUDA_SHIM_INLINE float __cos2pif(float x) { return cospif(2.0f * x); }
CUDA_SHIM_INLINE void __sincos2pif(float x, float* s, float* c) { sincospif(2.0f * x, s, c); }
#endif
// The product with the divisor's reciprocal, which of the greatest divisors is zero, as if it were denormal.
CUDA_SHIM_INLINE float __fdividef(float x, float y) {
    const float size = __builtin_fabsf(y);
    return size > 0x1p126f && size < __builtin_inff() ? x * __builtin_copysignf(0.0f, y) : x / y;
}
CUDA_SHIM_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// The neighbour of `nearest` towards the direction when the exact result is beyond it: `error` is exact minus nearest.
template <class T> CUDA_SHIM_INLINE T cuda_shim_up(T nearest, T error) {
    if constexpr (sizeof(T) == 4) return error > 0 ? (T)__builtin_nextafterf(nearest, __builtin_inff()) : nearest;
    else return error > 0 ? (T)__builtin_nextafter(nearest, __builtin_inf()) : nearest;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_down(T nearest, T error) {
    if constexpr (sizeof(T) == 4) return error < 0 ? (T)__builtin_nextafterf(nearest, -__builtin_inff()) : nearest;
    else return error < 0 ? (T)__builtin_nextafter(nearest, -__builtin_inf()) : nearest;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_towards_zero(T nearest, T error) {
    // A number that is rounded to zero stays there.
    return nearest > 0 ? cuda_shim_down(nearest, error) : nearest < 0 ? cuda_shim_up(nearest, error) : nearest;
}
// Volatile keeps -ffast-math and contraction from "simplifying" the error to zero.
template <class T> CUDA_SHIM_INLINE T cuda_shim_sum_error(T x, T y, T sum) {
    volatile T shared = sum - x;
    volatile T rest = sum - shared;
    return (x - rest) + (y - shared);
}
