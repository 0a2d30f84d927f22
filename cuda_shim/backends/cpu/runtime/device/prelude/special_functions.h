// Norms, normal distributions, inverse error functions and modified Bessel functions of CUDA's math library.
#pragma once

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
// The largest is taken out first, so that no square overflows or is lost.
CUDA_SHIM_INLINE double norm(int dimensions, const double* p) {
    double largest = 0, sum = 0;
    for (int i = 0; i < dimensions; ++i) largest = __builtin_fabs(p[i]) > largest ? __builtin_fabs(p[i]) : largest;
    if (largest == 0 || largest > 1.7976931348623157e308) {
        for (int i = 0; i < dimensions; ++i) sum += __builtin_isinf(p[i]) ? 0 : p[i];
        return largest != 0 ? largest : __builtin_fabs(sum);
    }
    const double scale = __builtin_ldexp(1.0, -__builtin_ilogb(largest));
    for (int i = 0; i < dimensions; ++i) sum += p[i] * scale * (p[i] * scale);
    return __builtin_sqrt(sum) / scale;
}
CUDA_SHIM_INLINE double rnorm(int dimensions, const double* p) { return 1.0 / norm(dimensions, p); }
CUDA_SHIM_INLINE double cuda_shim_square_sum(int dimensions, const float* p) {
    double sum = 0;
    for (int i = 0; i < dimensions; ++i) sum += (double)p[i] * p[i];
    return sum;
}
CUDA_SHIM_INLINE float normf(int dimensions, const float* p) { return (float)__builtin_sqrt(cuda_shim_square_sum(dimensions, p)); }
CUDA_SHIM_INLINE float rnormf(int dimensions, const float* p) { return (float)(1.0 / __builtin_sqrt(cuda_shim_square_sum(dimensions, p))); }

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

#ifdef CUDA_SHIM_CUDA
CUDA_SHIM_INLINE float cyl_bessel_i0(float x) { return cyl_bessel_i0f(x); }
CUDA_SHIM_INLINE float cyl_bessel_i1(float x) { return cyl_bessel_i1f(x); }
CUDA_SHIM_INLINE float erfcinv(float x) { return erfcinvf(x); }
CUDA_SHIM_INLINE float erfcx(float x) { return erfcxf(x); }
CUDA_SHIM_INLINE float erfinv(float x) { return erfinvf(x); }
CUDA_SHIM_INLINE float normcdf(float x) { return normcdff(x); }
CUDA_SHIM_INLINE float normcdfinv(float x) { return normcdfinvf(x); }
#endif
