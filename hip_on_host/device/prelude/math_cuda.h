// The functions of CUDA's math library beyond C's: reciprocal roots, functions of pi times x, and min and max of mixed
// types. (Norms, normal distributions and Bessel functions are in special_functions.h.)
#pragma once

#define CUDA_SHIM_MIN_MAX(T)                                          \
    CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE T min(T a, T b) { return b < a ? b : a; } \
    CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE T max(T a, T b) { return a < b ? b : a; }
CUDA_SHIM_MIN_MAX(int)
CUDA_SHIM_MIN_MAX(unsigned int)
CUDA_SHIM_MIN_MAX(long)
CUDA_SHIM_MIN_MAX(unsigned long)
CUDA_SHIM_MIN_MAX(long long)
CUDA_SHIM_MIN_MAX(unsigned long long)
CUDA_SHIM_INLINE float min(float a, float b) { return cuda_shim_smallest(a, b); }
CUDA_SHIM_INLINE float max(float a, float b) { return cuda_shim_largest(a, b); }
CUDA_SHIM_INLINE double min(double a, double b) { return cuda_shim_smallest(a, b); }
CUDA_SHIM_INLINE double max(double a, double b) { return cuda_shim_largest(a, b); }
#define CUDA_SHIM_MIN_MAX_MIXED(A, B, R)                                              \
    CUDA_SHIM_INLINE R min(A a, B b) { return min((R)a, (R)b); }                      \
    CUDA_SHIM_INLINE R max(A a, B b) { return max((R)a, (R)b); }                      \
    CUDA_SHIM_INLINE R min(B a, A b) { return min((R)a, (R)b); }                      \
    CUDA_SHIM_INLINE R max(B a, A b) { return max((R)a, (R)b); }
CUDA_SHIM_MIN_MAX_MIXED(int, unsigned int, unsigned int)
CUDA_SHIM_MIN_MAX_MIXED(long, unsigned long, unsigned long)
CUDA_SHIM_MIN_MAX_MIXED(long long, unsigned long long, unsigned long long)
CUDA_SHIM_MIN_MAX_MIXED(float, double, double)
#ifndef CUDA_SHIM_CUDA
CUDA_SHIM_MIN_MAX_MIXED(int, long, long)
CUDA_SHIM_MIN_MAX_MIXED(int, long long, long long)
CUDA_SHIM_MIN_MAX_MIXED(int, unsigned long, unsigned long)
CUDA_SHIM_MIN_MAX_MIXED(int, unsigned long long, unsigned long long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, long, long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, long long, long long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, unsigned long, unsigned long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, unsigned long long, unsigned long long)
CUDA_SHIM_MIN_MAX_MIXED(int, float, float)
CUDA_SHIM_MIN_MAX_MIXED(int, double, double)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, float, float)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, double, double)
#endif

// glibc 2.41 and 2.42 declare some of these, with another linkage, where its headers are included.
#ifdef CUDA_SHIM_STANDARD_HEADERS
#define cospi cuda_shim_cospi
#define cospif cuda_shim_cospif
#define rsqrt cuda_shim_rsqrt
#define rsqrtf cuda_shim_rsqrtf
#define sinpi cuda_shim_sinpi
#define sinpif cuda_shim_sinpif
#endif
#define CUDA_SHIM_PI 3.14159265358979323846
CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
CUDA_SHIM_INLINE float rsqrt(float x) { return rsqrtf(x); }
CUDA_SHIM_INLINE float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
CUDA_SHIM_INLINE double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
#ifdef CUDA_SHIM_CUDA
CUDA_SHIM_INLINE float rcbrt(float x) { return rcbrtf(x); }
#endif
CUDA_SHIM_INLINE float fdividef(float x, float y) { return x / y; }
CUDA_SHIM_INLINE float fdivide(float x, float y) { return x / y; }
CUDA_SHIM_INLINE double fdivide(double x, double y) { return x / y; }

// x in quarters of a turn, and its rest, exactly: multiples of a quarter give zeros and ones that are exact too.
struct cuda_shim_quarters {
    double count, rest;
};
CUDA_SHIM_INLINE cuda_shim_quarters cuda_shim_in_quarters(double x) {
    const double turn = __builtin_fmod(x, 2.0), quarters = __builtin_rint(2.0 * turn);
    return {quarters - 4.0 * __builtin_floor(0.25 * quarters), CUDA_SHIM_PI * (turn - 0.5 * quarters)};
}
CUDA_SHIM_INLINE double sinpi(double x) {
    const cuda_shim_quarters at = cuda_shim_in_quarters(x);
    const bool across = at.count == 1.0 || at.count == 3.0;
    const double size = across ? cos(at.rest) : sin(at.rest);
    const double value = at.count >= 2.0 ? -size : size;
    return value == 0.0 ? __builtin_copysign(0.0, x) : value;
}
CUDA_SHIM_INLINE double cospi(double x) {
    const cuda_shim_quarters at = cuda_shim_in_quarters(x);
    const bool across = at.count == 1.0 || at.count == 3.0;
    const double size = across ? sin(at.rest) : cos(at.rest);
    return (at.count == 1.0 || at.count == 2.0 ? -size : size) + 0.0;  // no negative zero
}
CUDA_SHIM_INLINE float sinpif(float x) { return (float)cuda_shim_sinpi_wide(x); }
CUDA_SHIM_INLINE float cospif(float x) { return (float)cuda_shim_cospi_wide(x); }
CUDA_SHIM_INLINE float sinpi(float x) { return sinpif(x); }
CUDA_SHIM_INLINE float cospi(float x) { return cospif(x); }
// Macros: glibc declares sincos and exp10 itself, with other linkage or only sometimes.
CUDA_SHIM_INLINE void cuda_shim_sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
CUDA_SHIM_INLINE void cuda_shim_sincos(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
CUDA_SHIM_INLINE void cuda_shim_sincosf(float x, float* s, float* c) { cuda_shim_sincos(x, s, c); }
#define sincos cuda_shim_sincos
#define sincosf cuda_shim_sincosf
CUDA_SHIM_INLINE void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
CUDA_SHIM_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
CUDA_SHIM_INLINE double cuda_shim_exp10(double x) {
#ifdef CUDA_SHIM_HAS_DOUBLE_FUNCTIONS
    return cuda_shim_double_exp10(x);
#else
    return __builtin_pow(10.0, x);
#endif
}
CUDA_SHIM_INLINE float cuda_shim_exp10(float x) { return (float)cuda_shim_exp2_wide(x * CUDA_SHIM_LOG2_10); }
CUDA_SHIM_INLINE float cuda_shim_exp10f(float x) { return cuda_shim_exp10(x); }
#define exp10 cuda_shim_exp10
#define exp10f cuda_shim_exp10f

CUDA_SHIM_INLINE float rhypotf(float x, float y) { return (float)(1.0 / __builtin_hypot((double)x, (double)y)); }
// Computed from quarters where the root overflows: its reciprocal need not be zero.
CUDA_SHIM_INLINE double rhypot(double x, double y) {
    const double norm = __builtin_hypot(x, y);
    return norm < __builtin_inf() ? 1.0 / norm : 0.25 / __builtin_hypot(0.25 * x, 0.25 * y);
}
