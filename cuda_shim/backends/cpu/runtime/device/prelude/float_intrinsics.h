// Intrinsics on floating point numbers: the fast approximations, which are exact functions here, and arithmetic with a
// rounding mode in its name. Round to nearest is the host's own; the directed modes are corrected from it by the exact
// error of the operation, which costs no change of the processor's mode.
#pragma once

// glibc declares several of these names (as parts of its own), so they are macros for ours.
#define CUDA_SHIM_FAST_1(name, expression) \
    CUDA_SHIM_INLINE float cuda_shim_##name(float x) { return expression; }
CUDA_SHIM_FAST_1(expf, __builtin_expf(x))
CUDA_SHIM_FAST_1(exp10f_fast, cuda_shim_exp10(x))
CUDA_SHIM_FAST_1(logf, __builtin_logf(x))
CUDA_SHIM_FAST_1(log2f, __builtin_log2f(x))
CUDA_SHIM_FAST_1(log10f, __builtin_log10f(x))
CUDA_SHIM_FAST_1(sinf, __builtin_sinf(x))
CUDA_SHIM_FAST_1(cosf, __builtin_cosf(x))
CUDA_SHIM_FAST_1(tanf, __builtin_tanf(x))
CUDA_SHIM_INLINE float cuda_shim_powf(float x, float y) { return __builtin_powf(x, y); }
CUDA_SHIM_FAST_1(tanhf, __builtin_tanhf(x))
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
CUDA_SHIM_INLINE float __fdividef(float x, float y) { return x / y; }
CUDA_SHIM_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// The neighbour of `nearest` towards the direction when the exact result lies beyond it: `error` is exact minus nearest.
template <class T> CUDA_SHIM_INLINE T cuda_shim_up(T nearest, T error) {
    if constexpr (sizeof(T) == 4) return error > 0 ? (T)__builtin_nextafterf(nearest, __builtin_inff()) : nearest;
    else return error > 0 ? (T)__builtin_nextafter(nearest, __builtin_inf()) : nearest;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_down(T nearest, T error) {
    if constexpr (sizeof(T) == 4) return error < 0 ? (T)__builtin_nextafterf(nearest, -__builtin_inff()) : nearest;
    else return error < 0 ? (T)__builtin_nextafter(nearest, -__builtin_inf()) : nearest;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_towards_zero(T nearest, T error) {
    return nearest > 0 ? cuda_shim_down(nearest, error) : cuda_shim_up(nearest, error);
}
CUDA_SHIM_INLINE float cuda_shim_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUDA_SHIM_INLINE double cuda_shim_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
CUDA_SHIM_INLINE float cuda_shim_sqrt(float x) { return __builtin_sqrtf(x); }
CUDA_SHIM_INLINE double cuda_shim_sqrt(double x) { return __builtin_sqrt(x); }
// Volatile keeps -ffast-math and contraction from "simplifying" the error to zero.
template <class T> CUDA_SHIM_INLINE T cuda_shim_sum_error(T x, T y, T sum) {
    volatile T shared = sum - x;
    volatile T rest = sum - shared;
    return (x - rest) + (y - shared);
}

#define CUDA_SHIM_ROUNDED(T, prefix, suffix, round)                                                                \
    CUDA_SHIM_INLINE T __##prefix##add_##suffix(T x, T y) { T r = x + y; return round(r, cuda_shim_sum_error(x, y, r)); } \
    CUDA_SHIM_INLINE T __##prefix##sub_##suffix(T x, T y) { return __##prefix##add_##suffix(x, -y); }               \
    CUDA_SHIM_INLINE T __##prefix##mul_##suffix(T x, T y) { T r = x * y; return round(r, cuda_shim_fma(x, y, -r)); } \
    CUDA_SHIM_INLINE T __##prefix##div_##suffix(T x, T y) {                                                         \
        T r = x / y, remainder = cuda_shim_fma(-r, y, x);                                                           \
        return round(r, y < 0 ? -remainder : remainder);                                                            \
    }                                                                                                               \
    CUDA_SHIM_INLINE T __##prefix##rcp_##suffix(T x) { return __##prefix##div_##suffix((T)1, x); }                  \
    CUDA_SHIM_INLINE T __##prefix##sqrt_##suffix(T x) { T r = cuda_shim_sqrt(x); return round(r, cuda_shim_fma(-r, r, x)); }
#define CUDA_SHIM_EXACT(r, error) (r)
CUDA_SHIM_ROUNDED(float, f, rn, CUDA_SHIM_EXACT)
CUDA_SHIM_ROUNDED(float, f, ru, cuda_shim_up)
CUDA_SHIM_ROUNDED(float, f, rd, cuda_shim_down)
CUDA_SHIM_ROUNDED(float, f, rz, cuda_shim_towards_zero)
CUDA_SHIM_ROUNDED(double, d, rn, CUDA_SHIM_EXACT)
CUDA_SHIM_ROUNDED(double, d, ru, cuda_shim_up)
CUDA_SHIM_ROUNDED(double, d, rd, cuda_shim_down)
CUDA_SHIM_ROUNDED(double, d, rz, cuda_shim_towards_zero)
CUDA_SHIM_INLINE float __frsqrt_rn(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }

CUDA_SHIM_INLINE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUDA_SHIM_INLINE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
// Of a fused operation the error comes from double the precision: exact for float, and for double by parts.
CUDA_SHIM_INLINE float cuda_shim_fmaf_error(float x, float y, float z, float r) {
    double product = (double)x * y;
    double sum = product + z, rest = cuda_shim_sum_error(product, (double)z, sum);
    double error = sum - r;
    return error != 0 ? (float)(error > 0 ? 1 : -1) : (float)(rest > 0 ? 1 : rest < 0 ? -1 : 0);
}
CUDA_SHIM_INLINE double cuda_shim_fma_error(double x, double y, double z, double r) {
    double product = x * y, low = __builtin_fma(x, y, -product);
    double sum = product + z, rest = cuda_shim_sum_error(product, z, sum);
    return (sum - r) + (rest + low);
}
CUDA_SHIM_INLINE float __fmaf_ru(float x, float y, float z) { float r = __fmaf_rn(x, y, z); return cuda_shim_up(r, cuda_shim_fmaf_error(x, y, z, r)); }
CUDA_SHIM_INLINE float __fmaf_rd(float x, float y, float z) { float r = __fmaf_rn(x, y, z); return cuda_shim_down(r, cuda_shim_fmaf_error(x, y, z, r)); }
CUDA_SHIM_INLINE float __fmaf_rz(float x, float y, float z) { float r = __fmaf_rn(x, y, z); return cuda_shim_towards_zero(r, cuda_shim_fmaf_error(x, y, z, r)); }
CUDA_SHIM_INLINE double __fma_ru(double x, double y, double z) { double r = __fma_rn(x, y, z); return cuda_shim_up(r, cuda_shim_fma_error(x, y, z, r)); }
CUDA_SHIM_INLINE double __fma_rd(double x, double y, double z) { double r = __fma_rn(x, y, z); return cuda_shim_down(r, cuda_shim_fma_error(x, y, z, r)); }
CUDA_SHIM_INLINE double __fma_rz(double x, double y, double z) { double r = __fma_rn(x, y, z); return cuda_shim_towards_zero(r, cuda_shim_fma_error(x, y, z, r)); }
