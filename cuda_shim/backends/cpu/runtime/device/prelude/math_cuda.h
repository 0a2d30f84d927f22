// What CUDA's math library has beyond C's: reciprocal roots, functions of pi times x, norms, normal distributions, and
// min and max of mixed types.
#pragma once

#define CUDA_SHIM_MIN_MAX(T)                                          \
    CUDA_SHIM_INLINE T min(T a, T b) { return b < a ? b : a; }        \
    CUDA_SHIM_INLINE T max(T a, T b) { return a < b ? b : a; }
CUDA_SHIM_MIN_MAX(int)
CUDA_SHIM_MIN_MAX(unsigned int)
CUDA_SHIM_MIN_MAX(long)
CUDA_SHIM_MIN_MAX(unsigned long)
CUDA_SHIM_MIN_MAX(long long)
CUDA_SHIM_MIN_MAX(unsigned long long)
// Of floating point numbers, the one that is not a NaN.
CUDA_SHIM_INLINE float min(float a, float b) { return __builtin_fminf(a, b); }
CUDA_SHIM_INLINE float max(float a, float b) { return __builtin_fmaxf(a, b); }
CUDA_SHIM_INLINE double min(double a, double b) { return __builtin_fmin(a, b); }
CUDA_SHIM_INLINE double max(double a, double b) { return __builtin_fmax(a, b); }
#define CUDA_SHIM_MIN_MAX_MIXED(A, B, R)                                              \
    CUDA_SHIM_INLINE R min(A a, B b) { return min((R)a, (R)b); }                      \
    CUDA_SHIM_INLINE R max(A a, B b) { return max((R)a, (R)b); }                      \
    CUDA_SHIM_INLINE R min(B a, A b) { return min((R)a, (R)b); }                      \
    CUDA_SHIM_INLINE R max(B a, A b) { return max((R)a, (R)b); }
CUDA_SHIM_MIN_MAX_MIXED(int, unsigned int, unsigned int)
CUDA_SHIM_MIN_MAX_MIXED(long, unsigned long, unsigned long)
CUDA_SHIM_MIN_MAX_MIXED(long long, unsigned long long, unsigned long long)
CUDA_SHIM_MIN_MAX_MIXED(int, long, long)
CUDA_SHIM_MIN_MAX_MIXED(int, long long, long long)
CUDA_SHIM_MIN_MAX_MIXED(int, unsigned long, unsigned long)
CUDA_SHIM_MIN_MAX_MIXED(int, unsigned long long, unsigned long long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, long, long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, long long, long long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, unsigned long, unsigned long)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, unsigned long long, unsigned long long)
CUDA_SHIM_MIN_MAX_MIXED(float, double, double)
CUDA_SHIM_MIN_MAX_MIXED(int, float, float)
CUDA_SHIM_MIN_MAX_MIXED(int, double, double)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, float, float)
CUDA_SHIM_MIN_MAX_MIXED(unsigned int, double, double)
CUDA_SHIM_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
CUDA_SHIM_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
CUDA_SHIM_INLINE long long llmin(long long a, long long b) { return min(a, b); }
CUDA_SHIM_INLINE long long llmax(long long a, long long b) { return max(a, b); }
CUDA_SHIM_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
CUDA_SHIM_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// glibc has some of these under the same names only where its headers are included.
#define CUDA_SHIM_PI 3.14159265358979323846
CUDA_SHIM_INLINE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
CUDA_SHIM_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
CUDA_SHIM_INLINE float rsqrt(float x) { return rsqrtf(x); }
CUDA_SHIM_INLINE float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
CUDA_SHIM_INLINE double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
CUDA_SHIM_INLINE float fdividef(float x, float y) { return x / y; }

// Reduced to one period first: x may be large where pi times x is not exact any more.
CUDA_SHIM_INLINE double sinpi(double x) { return __builtin_sin(CUDA_SHIM_PI * __builtin_fmod(x, 2.0)); }
CUDA_SHIM_INLINE double cospi(double x) { return __builtin_cos(CUDA_SHIM_PI * __builtin_fmod(x, 2.0)); }
CUDA_SHIM_INLINE float sinpif(float x) { return (float)sinpi((double)x); }
CUDA_SHIM_INLINE float cospif(float x) { return (float)cospi((double)x); }
CUDA_SHIM_INLINE float sinpi(float x) { return sinpif(x); }
CUDA_SHIM_INLINE float cospi(float x) { return cospif(x); }
// Macros: glibc declares sincos and exp10 itself, with other linkage or only sometimes.
CUDA_SHIM_INLINE void cuda_shim_sincos(double x, double* s, double* c) { *s = __builtin_sin(x), *c = __builtin_cos(x); }
CUDA_SHIM_INLINE void cuda_shim_sincos(float x, float* s, float* c) { *s = __builtin_sinf(x), *c = __builtin_cosf(x); }
CUDA_SHIM_INLINE void cuda_shim_sincosf(float x, float* s, float* c) { cuda_shim_sincos(x, s, c); }
#define sincos cuda_shim_sincos
#define sincosf cuda_shim_sincosf
CUDA_SHIM_INLINE void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
CUDA_SHIM_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
CUDA_SHIM_INLINE double cuda_shim_exp10(double x) { return __builtin_pow(10.0, x); }
CUDA_SHIM_INLINE float cuda_shim_exp10(float x) { return (float)__builtin_exp2((double)x * 3.3219280948873623478703194); }
CUDA_SHIM_INLINE float cuda_shim_exp10f(float x) { return cuda_shim_exp10(x); }
#define exp10 cuda_shim_exp10
#define exp10f cuda_shim_exp10f

CUDA_SHIM_INLINE float rhypotf(float x, float y) { return 1.0f / __builtin_hypotf(x, y); }
CUDA_SHIM_INLINE double rhypot(double x, double y) { return 1.0 / __builtin_hypot(x, y); }
CUDA_SHIM_INLINE float norm3df(float a, float b, float c) {
    return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c);
}
CUDA_SHIM_INLINE double norm3d(double a, double b, double c) { return __builtin_hypot(__builtin_hypot(a, b), c); }
CUDA_SHIM_INLINE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
CUDA_SHIM_INLINE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
CUDA_SHIM_INLINE float norm4df(float a, float b, float c, float d) {
    return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
CUDA_SHIM_INLINE double norm4d(double a, double b, double c, double d) {
    return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
CUDA_SHIM_INLINE float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
CUDA_SHIM_INLINE double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
CUDA_SHIM_INLINE double norm(int dimensions, const double* p) {
    double sum = 0;
    for (int i = 0; i < dimensions; ++i) sum += p[i] * p[i];
    return __builtin_sqrt(sum);
}
CUDA_SHIM_INLINE float normf(int dimensions, const float* p) {
    double sum = 0;
    for (int i = 0; i < dimensions; ++i) sum += (double)p[i] * p[i];
    return (float)__builtin_sqrt(sum);
}

CUDA_SHIM_INLINE double normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
CUDA_SHIM_INLINE float normcdff(float x) { return (float)normcdf((double)x); }
CUDA_SHIM_INLINE double erfcx(double x) {
    if (x < 25.0) return __builtin_exp(x * x) * __builtin_erfc(x);
    // Asymptotic series: the product above is infinity times zero here.
    const double inverse = 1.0 / (x * x);
    return (1.0 / (x * 1.77245385090551602730)) * (1.0 - inverse * (0.5 - inverse * (0.75 - inverse * 1.875)));
}
CUDA_SHIM_INLINE float erfcxf(float x) { return (float)erfcx((double)x); }

// The inverse of the normal distribution by Acklam's rational approximation, and one step of Halley's method that takes
// it to double precision; the inverse error functions follow from it.
static inline double normcdfinv(double p) {
    if (!(p >= 0.0 && p <= 1.0)) return __builtin_nan("");
    if (p == 0.0) return -__builtin_inf();
    if (p == 1.0) return __builtin_inf();
    double x;
    if (p < 0.02425 || p > 0.97575) {
        const double q = __builtin_sqrt(-2.0 * __builtin_log(p < 0.5 ? p : 1.0 - p));
        x = (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q -
               2.549732539343734e+00) * q + 4.374664141464968e+00) * q + 2.938163982698783e+00) /
            ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q +
              3.754408661907416e+00) * q + 1.0);
        if (p > 0.5) x = -x;
    } else {
        const double q = p - 0.5, r = q * q;
        x = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
               1.383577518672690e+02) * r - 3.066479806614716e+01) * r + 2.506628277459239e+00) * q /
            (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
               6.680131188771972e+01) * r - 1.328068155288572e+01) * r + 1.0);
    }
    const double error = normcdf(x) - p;
    const double step = error * 2.50662827463100050242 * __builtin_exp(0.5 * x * x);
    return x - step / (1.0 + 0.5 * x * step);
}
CUDA_SHIM_INLINE float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
CUDA_SHIM_INLINE double erfinv(double x) { return normcdfinv(0.5 * (x + 1.0)) * 0.70710678118654752440; }
CUDA_SHIM_INLINE double erfcinv(double x) { return -normcdfinv(0.5 * x) * 0.70710678118654752440; }
CUDA_SHIM_INLINE float erfinvf(float x) { return (float)erfinv((double)x); }
CUDA_SHIM_INLINE float erfcinvf(float x) { return (float)erfcinv((double)x); }

// Modified Bessel functions of the first kind: a power series for small arguments, the asymptotic one for large.
static inline double cuda_shim_bessel_i(int order, double x) {
    const double magnitude = __builtin_fabs(x);
    double sum = 0, term;
    if (magnitude < 30.0) {
        term = order ? 0.5 * magnitude : 1.0;
        const double quarter = 0.25 * magnitude * magnitude;
        for (int k = 1; k < 120 && term > sum * 1e-18; ++k) {
            sum += term;
            term *= quarter / ((double)k * (k + order));
        }
    } else {
        term = 1.0;
        const double mu = 4.0 * order * order;
        for (int k = 1; k < 30 && __builtin_fabs(term) > 1e-18; ++k) {
            sum += term;
            const double odd = 2.0 * k - 1.0;
            term *= -(mu - odd * odd) / (k * 8.0 * magnitude);
        }
        // The exponential in two factors, which overflow later than one.
        const double half = __builtin_exp(0.5 * magnitude);
        sum = sum * half / __builtin_sqrt(2.0 * CUDA_SHIM_PI * magnitude) * half;
    }
    return order && x < 0 ? -sum : sum;
}
CUDA_SHIM_INLINE double cyl_bessel_i0(double x) { return cuda_shim_bessel_i(0, x); }
CUDA_SHIM_INLINE double cyl_bessel_i1(double x) { return cuda_shim_bessel_i(1, x); }
CUDA_SHIM_INLINE float cyl_bessel_i0f(float x) { return (float)cuda_shim_bessel_i(0, x); }
CUDA_SHIM_INLINE float cyl_bessel_i1f(float x) { return (float)cuda_shim_bessel_i(1, x); }
