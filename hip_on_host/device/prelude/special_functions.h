// Norms, normal distributions, inverse error functions and modified Bessel functions of CUDA's math library.
#pragma once
// Part for programs with names that begin with: norm rnorm erfcx erfinv erfcinv cyl_bessel_i

// A root that is infinite where any operand is, even if another is a NaN.
CUDA_SHIM_INLINE double cuda_shim_root(double squares, bool infinite) {
    return infinite ? __builtin_inf() : __builtin_sqrt(squares);
}
CUDA_SHIM_INLINE double cuda_shim_norm3(double a, double b, double c) {
    return cuda_shim_root(a * a + b * b + c * c, __builtin_isinf(a) || __builtin_isinf(b) || __builtin_isinf(c));
}
CUDA_SHIM_INLINE double cuda_shim_norm4(double a, double b, double c, double d) {
    const bool infinite = __builtin_isinf(a) || __builtin_isinf(b) || __builtin_isinf(c) || __builtin_isinf(d);
    return cuda_shim_root(a * a + b * b + c * c + d * d, infinite);
}
CUDA_SHIM_INLINE float norm3df(float a, float b, float c) { return (float)cuda_shim_norm3(a, b, c); }
CUDA_SHIM_INLINE float norm4df(float a, float b, float c, float d) { return (float)cuda_shim_norm4(a, b, c, d); }
CUDA_SHIM_INLINE float rnorm3df(float a, float b, float c) { return (float)(1.0 / cuda_shim_norm3(a, b, c)); }
CUDA_SHIM_INLINE float rnorm4df(float a, float b, float c, float d) {
    return (float)(1.0 / cuda_shim_norm4(a, b, c, d));
}
CUDA_SHIM_INLINE double norm3d(double a, double b, double c) { return __builtin_hypot(__builtin_hypot(a, b), c); }
CUDA_SHIM_INLINE double norm4d(double a, double b, double c, double d) {
    return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
// Computed from quarters where the norm overflows: its reciprocal need not be zero.
CUDA_SHIM_INLINE double rnorm3d(double a, double b, double c) {
    const double norm = norm3d(a, b, c);
    return norm < __builtin_inf() ? 1.0 / norm : 0.25 / norm3d(0.25 * a, 0.25 * b, 0.25 * c);
}
CUDA_SHIM_INLINE double rnorm4d(double a, double b, double c, double d) {
    const double norm = norm4d(a, b, c, d);
    return norm < __builtin_inf() ? 1.0 / norm : 0.25 / norm4d(0.25 * a, 0.25 * b, 0.25 * c, 0.25 * d);
}
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

// The rounding error of a number's square.
CUDA_SHIM_INLINE double cuda_shim_square_rest(double x) { return __builtin_fma(x, x, -(x * x)); }
CUDA_SHIM_INLINE double normcdf(double x) {
    // erfc falls so steeply that its argument needs more digits than it has.
    const double at = -x * 0.70710678118654752440;
    const double rest = __builtin_fma(-x, 0.70710678118654752440, -at) + x * 4.8336466567264851e-17;
    const double value = __builtin_erfc(at), slope = 1.12837916709551257390 * __builtin_exp(-at * at);
    return slope > 0.0 && slope < 2.0 ? 0.5 * (value - rest * slope) : 0.5 * value;
}
CUDA_SHIM_INLINE float normcdff(float x) { return (float)(0.5 * cuda_shim_erfc_wide(x * -0.70710678118654752440)); }
CUDA_SHIM_INLINE double erfcx(double x) {
    if (x < 25.0) {
        const double value = __builtin_exp(x * x) * __builtin_erfc(x);
        return value < __builtin_inf() ? value + value * cuda_shim_square_rest(x) : value;
    }
    // Asymptotic series: the product above is infinity times zero here.
    const double inverse = 1.0 / x, step = -0.5 * inverse * inverse;
    double sum = 1.0;
    for (int k = 15; k > 0; k -= 2) sum = 1.0 + k * step * sum;
    return inverse * 0.56418958354775628695 * sum;
}
CUDA_SHIM_INLINE float erfcxf(float x) { return (float)erfcx((double)x); }

// Acklam's rational approximation of the inverse of the normal distribution, to nine digits: below 0.02425 by
// their logarithm, which may be of a number that is none any more, and around a half by the distance from there.
static inline double cuda_shim_normal_tail(double logarithm) {
    const double q = __builtin_sqrt(-2.0 * logarithm);
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q -
              2.549732539343734e+00) * q + 4.374664141464968e+00) * q + 2.938163982698783e+00) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q +
             3.754408661907416e+00) * q + 1.0);
}
static inline double cuda_shim_normal_middle(double q) {
    const double r = q * q;
    return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
              1.383577518672690e+02) * r - 3.066479806614716e+01) * r + 2.506628277459239e+00) * q /
           (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
              6.680131188771972e+01) * r - 1.328068155288572e+01) * r + 1.0);
}
// One step of Halley's method takes them to double precision, on erf itself where it is small, for |x| up to a half, ...
static inline double cuda_shim_erfinv_middle(double x) {
    const double y = cuda_shim_normal_middle(0.5 * x) * 0.70710678118654752440;
    const double step = (__builtin_erf(y) - x) * 0.88622692545275801365 * __builtin_exp(y * y);
    return y - step / (1.0 + y * step);
}
// ... and one on the logarithm of erfc where that is small, for x in (0, 0.5).
static inline double cuda_shim_erfcinv_tail(double x) {
    const double normal = x < 0.0485 ? cuda_shim_normal_tail(__builtin_log(x) - 0.69314718055994530942)
                                     : cuda_shim_normal_middle(0.5 * x - 0.5);
    const double y = -normal * 0.70710678118654752440, scaled = erfcx(y);
    // log(erfc(y) / x), of which erfc may be too small to be a number.
    const double error = x < 1e-290 ? __builtin_log(scaled) - y * y - cuda_shim_square_rest(y) - __builtin_log(x)
                                    : __builtin_log1p((__builtin_erfc(y) - x) / x);
    const double step = error * 0.88622692545275801365 * scaled;
    return y + step * (1.0 + step * (y - 0.56418958354775628695 / scaled));
}
static inline double erfcinv(double x) {
    if (!(x >= 0.0 && x <= 2.0)) return __builtin_nan("");
    if (x == 0.0) return __builtin_inf();
    if (x == 2.0) return -__builtin_inf();
    if (x >= 0.5 && x <= 1.5) return cuda_shim_erfinv_middle(1.0 - x);
    return x < 1.0 ? cuda_shim_erfcinv_tail(x) : -cuda_shim_erfcinv_tail(2.0 - x);
}
static inline double erfinv(double x) {
    const double size = __builtin_fabs(x);
    if (size <= 0.5) return x == 0.0 ? x : cuda_shim_erfinv_middle(x);
    return __builtin_copysign(erfcinv(1.0 - size), x);
}
CUDA_SHIM_INLINE double normcdfinv(double p) {
    const double size = 1.41421356237309504880 * (p <= 0.5 ? erfcinv(2.0 * p) : erfcinv(2.0 * (1.0 - p)));
    return p < 0.5 ? -size : size;
}
CUDA_SHIM_INLINE float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
CUDA_SHIM_INLINE float erfinvf(float x) { return (float)erfinv((double)x); }
CUDA_SHIM_INLINE float erfcinvf(float x) { return (float)erfcinv((double)x); }

// Modified Bessel functions of the first kind: a power series for small arguments, the asymptotic one for large.
static inline double cuda_shim_bessel_i(int order, double x) {
    const double magnitude = __builtin_fabs(x);
    if (magnitude > 800.0) return order ? __builtin_copysign(__builtin_inf(), x) : __builtin_inf();
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
    return order ? __builtin_copysign(sum, x) : sum;
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
