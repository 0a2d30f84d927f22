// Exponentials, logarithms, powers and hyperbolic functions of floats, written out so that loops over threads become
// vectors: a call of the C library would be made for each thread by itself.
//
// They count in double precision, which has room for all that a float's result may be, and round once at the end. So they
// need no branches, are right to a little more than half a unit in the last place, and denormal numbers need no care.
// Tests hold every one beside the C library's function in double precision (tests/kernels/test_float_functions.py).
#pragma once

// A product and a sum, rounded once where the processor can: here that is for speed alone.
CUDA_SHIM_INLINE double cuda_shim_step(double x, double y, double z) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fma(x, y, z);
#else
    return x * y + z;
#endif
}
// A polynomial by Horner's rule, without a loop that the vectoriser would have to see through.
template <int at = 0, int count>
CUDA_SHIM_INLINE double cuda_shim_polynomial(double x, const double (&coefficients)[count]) {
    if constexpr (at == count - 1) return coefficients[at];
    else return cuda_shim_step(cuda_shim_polynomial<at + 1>(x, coefficients), x, coefficients[at]);
}

// Doubles as far above 0 as this have whole numbers in their lowest bits.
#define CUDA_SHIM_WHOLE 0x1.8p52
CUDA_SHIM_INLINE unsigned long long cuda_shim_low_bits(double whole) {
    return cuda_shim_bits<unsigned long long>(whole + CUDA_SHIM_WHOLE);
}

// 2^t as (1 + more) * power: nothing is lost of `more` where the result is near 1. Where a float's result is infinite or
// zero for certain, one exponent is as good as another.
struct cuda_shim_exponential {
    double more, power;
};
CUDA_SHIM_INLINE cuda_shim_exponential cuda_shim_exp2_parts(double t) {
    t = t < -300.0 ? -300.0 : t;
    t = t > 300.0 ? 300.0 : t;
    const double whole = __builtin_rint(t), rest = t - whole;
    const unsigned long long power = (cuda_shim_low_bits(whole) + 1023) << 52;
    return {rest * cuda_shim_polynomial(rest, cuda_shim_exp2m1_coefficients), cuda_shim_bits<double>(power)};
}
// A NaN stays in `more`; its exponent is arbitrary.
CUDA_SHIM_INLINE double cuda_shim_exp2_wide(double t) {
    const cuda_shim_exponential parts = cuda_shim_exp2_parts(t);
    return cuda_shim_step(parts.more, parts.power, parts.power);
}
CUDA_SHIM_INLINE double cuda_shim_exp2m1_wide(double t) {
    const cuda_shim_exponential parts = cuda_shim_exp2_parts(t);
    return cuda_shim_step(parts.more, parts.power, parts.power - 1.0);
}
#define CUDA_SHIM_LOG2_E 1.44269504088896340736
#define CUDA_SHIM_LOG2_10 3.32192809488736234787
#define CUDA_SHIM_LN_2 0.693147180559945309417
#define CUDA_SHIM_LOG10_2 0.301029995663981195214
#define CUDA_SHIM_LOG10_E 0.434294481903251827651
CUDA_SHIM_INLINE double cuda_shim_exp_wide(double x) { return cuda_shim_exp2_wide(x * CUDA_SHIM_LOG2_E); }
CUDA_SHIM_INLINE double cuda_shim_expm1_wide(double x) { return cuda_shim_exp2m1_wide(x * CUDA_SHIM_LOG2_E); }

// The logarithm of a positive number as exponent * log(2) + rest, where one of both is zero or they do not cancel out.
struct cuda_shim_logarithm {
    double exponent, rest;
};
// `above`: how much more than 1 the number is, where it is `near` that and has rounded some of it off.
CUDA_SHIM_INLINE cuda_shim_logarithm cuda_shim_log_parts(double x, bool near = false, double above = 0.0) {
    const unsigned long long bits = cuda_shim_bits<unsigned long long>(x), root = 0x3fe6a09e667f3bcdull;  // sqrt(0.5)
    const unsigned long long exponent = (bits + (0x3ff0000000000000ull - root)) >> 52;
    const double fraction = cuda_shim_bits<double>(bits - ((exponent - 1023) << 52));
    const double more = near ? above : fraction - 1.0, part = more / (2.0 + more);
    // Its bits behind those of 2^52 are the exponent as a number.
    const double number = cuda_shim_bits<double>(exponent | 0x4330000000000000ull) - (0x1p52 + 1023.0);
    return {number, part * cuda_shim_polynomial(part * part, cuda_shim_log_coefficients)};
}
CUDA_SHIM_INLINE double cuda_shim_log_checked(double x, double value) {
    value = x < __builtin_inf() ? value : x;
    value = x == 0.0 ? -__builtin_inf() : value;
    return x < 0.0 ? __builtin_nan("") : value;
}
CUDA_SHIM_INLINE double cuda_shim_log_of(double x, const cuda_shim_logarithm& parts) {
    return cuda_shim_log_checked(x, cuda_shim_step(parts.exponent, CUDA_SHIM_LN_2, parts.rest));
}
CUDA_SHIM_INLINE double cuda_shim_log_wide(double x) { return cuda_shim_log_of(x, cuda_shim_log_parts(x)); }
CUDA_SHIM_INLINE double cuda_shim_log2_wide(double x) {
    const cuda_shim_logarithm parts = cuda_shim_log_parts(x);
    return cuda_shim_log_checked(x, cuda_shim_step(parts.rest, CUDA_SHIM_LOG2_E, parts.exponent));
}
CUDA_SHIM_INLINE double cuda_shim_log1p_wide(double x) {
    const double sum = 1.0 + x;
    const double value = cuda_shim_log_of(sum, cuda_shim_log_parts(sum, __builtin_fabs(x) < 0.25, x));
    return x == 0.0 ? x : value;
}

// x to the power of y, of numbers that are floats.
CUDA_SHIM_INLINE double cuda_shim_pow_wide(double x, double y) {
    const double size = __builtin_fabs(x), least = __builtin_fabs(y);
    double value = cuda_shim_exp2_wide(y * cuda_shim_log2_wide(size));
    // Doubles that floats may be are even where half of them is whole.
    const bool whole = __builtin_rint(y) == y, odd = whole & (__builtin_rint(0.5 * y) != 0.5 * y);
    const bool below = cuda_shim_bits<unsigned long long>(x) >> 63;
    value = (below & odd) ? -value : value;
    value = ((x < 0.0) & !whole & (size < __builtin_inf())) ? __builtin_nan("") : value;
    value = ((size == 1.0) & (least == __builtin_inf())) ? 1.0 : value;
    return ((x == 1.0) | (y == 0.0)) ? 1.0 : value;
}

// The C library's names. An expression that takes such a function's address gets the library's.
#define CUDA_SHIM_WRITTEN_OUT extern inline __attribute__((always_inline, gnu_inline))
#define CUDA_SHIM_OF_FLOAT_WITH(facts, name, expression)                                           \
    extern "C" {                                                                                   \
    facts CUDA_SHIM_WRITTEN_OUT float name(float x) noexcept { return (float)(expression); }       \
    }
#define CUDA_SHIM_OF_FLOAT(name, expression) CUDA_SHIM_OF_FLOAT_WITH(, name, expression)
CUDA_SHIM_OF_FLOAT(expf, cuda_shim_exp_wide(x))
CUDA_SHIM_OF_FLOAT(exp2f, cuda_shim_exp2_wide(x))
CUDA_SHIM_OF_FLOAT(expm1f, x == 0.0f ? x : cuda_shim_expm1_wide(x))
CUDA_SHIM_OF_FLOAT(logf, cuda_shim_log_wide(x))
CUDA_SHIM_OF_FLOAT_WITH(CUDA_SHIM_FACT(pure), log2f, cuda_shim_log2_wide(x))
CUDA_SHIM_OF_FLOAT(log10f, CUDA_SHIM_LOG10_2 * cuda_shim_log2_wide(x))
CUDA_SHIM_OF_FLOAT(log1pf, cuda_shim_log1p_wide(x))
extern "C" {
CUDA_SHIM_WRITTEN_OUT float powf(float x, float y) noexcept {
    if (__builtin_constant_p(y) && y == 2.0f) return x * x;
    return (float)cuda_shim_pow_wide(x, y);
}
}

// Computed from e^x - 1 of the argument's size, which is not larger than the result.
CUDA_SHIM_INLINE double cuda_shim_sinh_wide(double x) {
    const double more = cuda_shim_expm1_wide(__builtin_fabs(x));
    return __builtin_copysign(0.5 * (more + more / (more + 1.0)), x);
}
CUDA_SHIM_INLINE double cuda_shim_cosh_wide(double x) {
    const double power = cuda_shim_exp_wide(__builtin_fabs(x));
    return 0.5 * (power + 1.0 / power);
}
CUDA_SHIM_INLINE double cuda_shim_tanh_wide(double x) {
    const double more = cuda_shim_expm1_wide(2.0 * __builtin_fabs(x));
    return __builtin_copysign(more / (more + 2.0), x);
}
CUDA_SHIM_INLINE double cuda_shim_asinh_wide(double x) {
    const double size = __builtin_fabs(x), square = size < 0x1p200 ? size * size : 0x1p400;
    return __builtin_copysign(cuda_shim_log1p_wide(size + square / (1.0 + __builtin_sqrt(square + 1.0))), x);
}
CUDA_SHIM_INLINE double cuda_shim_acosh_wide(double x) {
    const double more = x - 1.0;
    return more < 0.0 ? __builtin_nan("") : cuda_shim_log1p_wide(more + __builtin_sqrt(more * (x + 1.0)));
}
CUDA_SHIM_INLINE double cuda_shim_atanh_wide(double x) {
    const double size = __builtin_fabs(x);
    return __builtin_copysign(0.5 * cuda_shim_log1p_wide(2.0 * size / (1.0 - size)), x);
}
CUDA_SHIM_OF_FLOAT(sinhf, cuda_shim_sinh_wide(x))
CUDA_SHIM_OF_FLOAT(coshf, cuda_shim_cosh_wide(x))
CUDA_SHIM_OF_FLOAT(tanhf, cuda_shim_tanh_wide(x))
CUDA_SHIM_OF_FLOAT(asinhf, cuda_shim_asinh_wide(x))
CUDA_SHIM_OF_FLOAT(acoshf, cuda_shim_acosh_wide(x))
CUDA_SHIM_OF_FLOAT(atanhf, cuda_shim_atanh_wide(x))
