// Exponentials, logarithms and powers of doubles, written out so that loops over threads become vectors, as
// float_exponentials.h does for floats. They have no branches, and are right to one unit in the last place.
//
// Sums are split into the nearest double and the rest wherever the rest counts. That needs a fused multiplication, and a
// compiler that does not rearrange additions: elsewhere the functions are the C library's.
#pragma once

#if (defined(__FMA__) || defined(__aarch64__)) && !defined(CUDA_SHIM_FAST_MATH)
#define CUDA_SHIM_HAS_DOUBLE_FUNCTIONS

// A number as a double and a rest that is small beside it.
struct cuda_shim_split_double {
    double high, low;
};
// `high` is not smaller than `low`, or zero.
CUDA_SHIM_INLINE cuda_shim_split_double cuda_shim_split_sum(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
}
CUDA_SHIM_INLINE cuda_shim_split_double cuda_shim_split_product(double x, double y) {
    const double product = x * y;
    return {product, __builtin_fma(x, y, -product)};
}
CUDA_SHIM_INLINE cuda_shim_split_double cuda_shim_split_product(cuda_shim_split_double x, cuda_shim_split_double y) {
    const cuda_shim_split_double product = cuda_shim_split_product(x.high, y.high);
    return {product.high, __builtin_fma(x.high, y.low, __builtin_fma(x.low, y.high, product.low))};
}

// 2^whole * e^(rest + more), |rest| <= log(2) / 2. The power is a product of two, since the result may be denormal.
CUDA_SHIM_INLINE double cuda_shim_scaled_exp(double whole, double rest, double more) {
    const double tail = __builtin_fma(rest * rest, cuda_shim_polynomial(rest, cuda_shim_double_exp_coefficients), more);
    const double value = 1.0 + (rest + tail), half = __builtin_rint(0.5 * whole);
    const double first = cuda_shim_bits<double>((cuda_shim_low_bits(half) + 1023) << 52);
    const double second = cuda_shim_bits<double>((cuda_shim_low_bits(whole - half) + 1023) << 52);
    return value * first * second;
}
// A NaN stays one, as a comparison with it does not hold.
CUDA_SHIM_INLINE double cuda_shim_clamp(double x, double least, double most) {
    x = x < least ? least : x;
    return x > most ? most : x;
}
// Without the last bits of the high parts, the product with an exponent is exact.
#define CUDA_SHIM_LN_2_HIGH 0x1.62e42fefa3p-1
#define CUDA_SHIM_LN_2_LOW 0x1.3de6af278ece6p-42
#define CUDA_SHIM_LOG10_2_HIGH 0x1.34413509f7p-2
#define CUDA_SHIM_LOG10_2_LOW 0x1.3fde623e2566bp-43
CUDA_SHIM_INLINE double cuda_shim_double_exp(double x, double more) {
    const double whole = __builtin_rint(x * CUDA_SHIM_LOG2_E), rest = __builtin_fma(-whole, CUDA_SHIM_LN_2_HIGH, x);
    const cuda_shim_split_double sum = cuda_shim_split_sum(rest, __builtin_fma(-whole, CUDA_SHIM_LN_2_LOW, more));
    return cuda_shim_scaled_exp(whole, sum.high, sum.low);
}
// 2^whole times e to the power of `rest` log(base).
CUDA_SHIM_INLINE double cuda_shim_scaled_power(double whole, cuda_shim_split_double rest, cuda_shim_split_double log_base) {
    const cuda_shim_split_double product = cuda_shim_split_product(rest, log_base);
    return cuda_shim_scaled_exp(whole, product.high, product.low);
}
CUDA_SHIM_INLINE double cuda_shim_double_exp2(double x) {
    x = cuda_shim_clamp(x, -1100.0, 1100.0);
    const double whole = __builtin_rint(x);
    return cuda_shim_scaled_power(whole, {x - whole, 0.0}, {CUDA_SHIM_LN_2, 0x1.abc9e3b39803fp-56});
}
CUDA_SHIM_INLINE double cuda_shim_double_exp10(double x) {
    x = cuda_shim_clamp(x, -330.0, 330.0);
    const double whole = __builtin_rint(x * CUDA_SHIM_LOG2_10), rest = __builtin_fma(-whole, CUDA_SHIM_LOG10_2_HIGH, x);
    const double nearest = __builtin_fma(-whole, CUDA_SHIM_LOG10_2_LOW, rest);
    return cuda_shim_scaled_power(whole, {nearest, __builtin_fma(-whole, CUDA_SHIM_LOG10_2_LOW, rest - nearest)},
                                  {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53});
}

// A positive number as 2^exponent * (1 + more), from sqrt(1/2) to sqrt(2), and more / (2 + more).
struct cuda_shim_double_parts {
    double exponent, more, part;
};
CUDA_SHIM_INLINE cuda_shim_double_parts cuda_shim_parts_of_double(double x) {
    const bool small = x < 0x1p-1022;
    const unsigned long long bits = cuda_shim_bits<unsigned long long>(small ? x * 0x1p54 : x), root = 0x3fe6a09e667f3bcdull;
    const unsigned long long exponent = (bits + (0x3ff0000000000000ull - root)) >> 52;
    const double more = cuda_shim_bits<double>(bits - ((exponent - 1023) << 52)) - 1.0;
    // Its bits behind those of 2^52 are the exponent as a number.
    const double number = cuda_shim_bits<double>(exponent | 0x4330000000000000ull) - (small ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0);
    return {number, more, more / (2.0 + more)};
}
// log(1 + more)
CUDA_SHIM_INLINE cuda_shim_split_double cuda_shim_double_log_rest(const cuda_shim_double_parts& x) {
    const cuda_shim_split_double half_square = cuda_shim_split_product(0.5 * x.more, x.more);
    const double square = x.part * x.part, further = square * cuda_shim_polynomial(square, cuda_shim_double_log_coefficients);
    return cuda_shim_split_sum(x.more, __builtin_fma(x.part, half_square.high + further, -half_square.high) - half_square.low);
}
CUDA_SHIM_INLINE double cuda_shim_double_log(double x) {
    const cuda_shim_double_parts parts = cuda_shim_parts_of_double(x);
    const cuda_shim_split_double rest = cuda_shim_double_log_rest(parts);
    const cuda_shim_split_double sum = cuda_shim_split_sum(parts.exponent * CUDA_SHIM_LN_2_HIGH, rest.high);
    return cuda_shim_log_checked(x, sum.high + (sum.low + __builtin_fma(parts.exponent, CUDA_SHIM_LN_2_LOW, rest.low)));
}
// log(x) / log(base), of 1 / log(base) and log(2) / log(base).
CUDA_SHIM_INLINE double cuda_shim_double_log_to(double x, cuda_shim_split_double factor, cuda_shim_split_double step) {
    const cuda_shim_double_parts parts = cuda_shim_parts_of_double(x);
    const cuda_shim_split_double rest = cuda_shim_double_log_rest(parts);
    const cuda_shim_split_double product = cuda_shim_split_product(rest, factor);
    const cuda_shim_split_double sum = cuda_shim_split_sum(parts.exponent * step.high, product.high);
    return cuda_shim_log_checked(x, sum.high + (sum.low + __builtin_fma(parts.exponent, step.low, product.low)));
}
CUDA_SHIM_INLINE double cuda_shim_double_log2(double x) {
    return cuda_shim_double_log_to(x, {CUDA_SHIM_LOG2_E, 0x1.777d0ffda0d24p-56}, {1.0, 0.0});
}
CUDA_SHIM_INLINE double cuda_shim_double_log10(double x) {
    return cuda_shim_double_log_to(x, {CUDA_SHIM_LOG10_E, 0x1.95355baaafad3p-57}, {CUDA_SHIM_LOG10_2_HIGH, CUDA_SHIM_LOG10_2_LOW});
}

// log(x) of a positive number with 66 bits or more: s = more / (2 + more), and 2s + s^3 (2/3 + ...) with rests.
CUDA_SHIM_INLINE cuda_shim_split_double cuda_shim_split_log(double x) {
    const cuda_shim_double_parts parts = cuda_shim_parts_of_double(x);
    const cuda_shim_split_double divisor = cuda_shim_split_sum(2.0, parts.more);
    const double missing = __builtin_fma(-parts.part, divisor.high, parts.more);
    const cuda_shim_split_double s{parts.part, __builtin_fma(-parts.part, divisor.low, missing) / divisor.high};
    const cuda_shim_split_double square = cuda_shim_split_product(s, s), cube = cuda_shim_split_product(square, s);
    const cuda_shim_split_double further =
        cuda_shim_split_product(square.high, cuda_shim_polynomial(square.high, cuda_shim_double_log_further_coefficients));
    cuda_shim_split_double factor = cuda_shim_split_sum(0x1.5555555555555p-1, further.high);
    factor.low += further.low + 0x1.5555555555555p-55;
    const cuda_shim_split_double tail = cuda_shim_split_product(cube, factor);
    // The greatest of three terms is added first.
    const cuda_shim_split_double whole = cuda_shim_split_sum(parts.exponent * CUDA_SHIM_LN_2_HIGH, 2.0 * s.high);
    const cuda_shim_split_double sum = cuda_shim_split_sum(whole.high, tail.high);
    const double low = __builtin_fma(parts.exponent, CUDA_SHIM_LN_2_LOW, __builtin_fma(2.0, s.low, tail.low));
    return cuda_shim_split_sum(sum.high, sum.low + (whole.low + low));
}
CUDA_SHIM_INLINE double cuda_shim_double_pow(double x, double y) {
    const double size = __builtin_fabs(x);
    // The power of 2^66 of any number but 1 is infinite or zero.
    const cuda_shim_split_double log = cuda_shim_split_log(size);
    const double power = cuda_shim_clamp(y, -0x1p66, 0x1p66);
    const cuda_shim_split_double product = cuda_shim_split_product(power, log.high);
    const double near = cuda_shim_clamp(product.high, -800.0, 800.0);
    double value = cuda_shim_double_exp(near, near == product.high ? __builtin_fma(power, log.low, product.low) : 0.0);
    const bool grows = (size > 1.0) == (y > 0.0);
    value = ((size == 0.0) | (size == __builtin_inf())) ? (grows ? __builtin_inf() : 0.0) : value;
    value = ((x != x) | (y != y)) ? x + y : value;
    // Doubles that are even have whole halves.
    const bool whole = __builtin_rint(y) == y, odd = whole & (__builtin_rint(0.5 * y) != 0.5 * y);
    const bool below = cuda_shim_bits<unsigned long long>(x) >> 63;
    value = (below & odd) ? -value : value;
    value = ((x < 0.0) & !whole & (size < __builtin_inf())) ? __builtin_nan("") : value;
    value = ((size == 1.0) & (__builtin_fabs(y) == __builtin_inf())) ? 1.0 : value;
    return ((x == 1.0) | (y == 0.0)) ? 1.0 : value;
}

#define CUDA_SHIM_OF_DOUBLE(name, expression)                                                \
    extern "C" {                                                                             \
    CUDA_SHIM_WRITTEN_OUT double name(double x) noexcept { return expression; }              \
    }
CUDA_SHIM_OF_DOUBLE(exp, cuda_shim_double_exp(cuda_shim_clamp(x, -800.0, 800.0), 0.0))
CUDA_SHIM_OF_DOUBLE(exp2, cuda_shim_double_exp2(x))
CUDA_SHIM_OF_DOUBLE(log, cuda_shim_double_log(x))
CUDA_SHIM_OF_DOUBLE(log2, cuda_shim_double_log2(x))
CUDA_SHIM_OF_DOUBLE(log10, cuda_shim_double_log10(x))
extern "C" {
CUDA_SHIM_WRITTEN_OUT double pow(double x, double y) noexcept {
    if (__builtin_constant_p(y) && y == 2.0) return x * x;
    return cuda_shim_double_pow(x, y);
}
}
#endif
