// Sine and cosine of doubles, written out like double_exponentials.h. GCC makes no vectors of their table's loads.
#pragma once

#if defined(CUDA_SHIM_HAS_DOUBLE_FUNCTIONS) && defined(CUDA_SHIM_CLANG)

// The sum of two numbers of any sizes.
CUDA_SHIM_INLINE cuda_shim_split_double cuda_shim_two_sum(double x, double y) {
    const double sum = x + y, rest = sum - x;
    return {sum, (x - (sum - rest)) + (y - rest)};
}
// A number of quarter turns without whole turns.
CUDA_SHIM_INLINE double cuda_shim_within_turn(double quarters) {
    return __builtin_fma(-4.0, __builtin_rint(0.25 * quarters), quarters);
}

// An angle as quarters of a turn, of which two bits are kept, and a rest in radians within half a quarter.
struct cuda_shim_double_turned {
    unsigned long long quarters;
    cuda_shim_split_double rest;
};
// The quarters are the angle times 2/pi. A great angle is divided by a power of two, such that it stays a whole number, and
// of that power times 2/pi whole turns may be left out. The four parts of the table's numbers have 212 bits: 85 for the
// divided angle's size, and 127 behind the point, of which the rest may lose 62 before it is the least that there is.
CUDA_SHIM_INLINE cuda_shim_double_turned cuda_shim_reduced_double(double size) {
    const long long exponent = (long long)(cuda_shim_bits<unsigned long long>(size) >> 52) - 1075;
    const long long row = exponent < 0 ? 0 : exponent >> 5;
    const double(&turns)[4] = cuda_shim_double_turns[row];
    size *= cuda_shim_bits<double>((unsigned long long)(1023 - 32 * row) << 52);
    const cuda_shim_split_double first = cuda_shim_split_product(size, turns[0]), second = cuda_shim_split_product(size, turns[1]),
                                 third = cuda_shim_split_product(size, turns[2]);
    const cuda_shim_split_double high = cuda_shim_two_sum(cuda_shim_within_turn(first.high), cuda_shim_within_turn(first.low));
    const cuda_shim_split_double sum = cuda_shim_two_sum(high.high, cuda_shim_within_turn(second.high));
    const double quarters = __builtin_rint(sum.high);
    const cuda_shim_split_double behind = cuda_shim_two_sum(second.low, third.high), low = cuda_shim_two_sum(high.low, sum.low);
    const cuda_shim_split_double rest = cuda_shim_two_sum(sum.high - quarters, behind.high);
    const cuda_shim_split_double most = cuda_shim_two_sum(rest.high, low.high);
    const double least = (low.low + behind.low) + (rest.low + most.low) + __builtin_fma(size, turns[3], third.low);
    const cuda_shim_split_double turned = cuda_shim_split_product(cuda_shim_split_sum(most.high, least),
                                                                  {CUDA_SHIM_HALF_PI, 0x1.1a62633145c07p-54});
    return {cuda_shim_low_bits(quarters), cuda_shim_split_sum(turned.high, turned.low)};
}
// The sine of an angle `ahead` quarters further on.
CUDA_SHIM_INLINE double cuda_shim_double_sine_of(const cuda_shim_double_turned& angle, unsigned long long ahead) {
    const unsigned long long quarters = angle.quarters + ahead;
    const double x = angle.rest.high, more = angle.rest.low, square = x * x, half = 0.5 * square;
    const double cubed = square * x * cuda_shim_polynomial(square, cuda_shim_double_sin_coefficients);
    const double sine = x + (cubed + __builtin_fma(-half, more, more));
    const double most = 1.0 - half, lost = (1.0 - most) - half;
    const double further = square * square * cuda_shim_polynomial(square, cuda_shim_double_cos_coefficients);
    const double cosine = most + (lost + __builtin_fma(-x, more, further));
    return cuda_shim_flipped(quarters & 1 ? cosine : sine, quarters >> 1 & 1);
}
CUDA_SHIM_INLINE double cuda_shim_double_sin(double x) {
    const double size = __builtin_fabs(x);
    const unsigned long long below = cuda_shim_bits<unsigned long long>(x) >> 63;
    const double sine = cuda_shim_flipped(cuda_shim_double_sine_of(cuda_shim_reduced_double(size), 0), below);
    return size < 0x1p-27 ? x : sine;
}
CUDA_SHIM_INLINE double cuda_shim_double_cos(double x) {
    return cuda_shim_double_sine_of(cuda_shim_reduced_double(__builtin_fabs(x)), 1);
}
CUDA_SHIM_OF_DOUBLE(sin, cuda_shim_double_sin(x))
CUDA_SHIM_OF_DOUBLE(cos, cuda_shim_double_cos(x))
#endif
