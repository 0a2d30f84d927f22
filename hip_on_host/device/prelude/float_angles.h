// Trigonometric functions of floats and their inverses, and error functions, written out like float_exponentials.h.
#pragma once

// An angle as quarters of a turn, of which two bits are kept, and a rest within half a quarter.
struct cuda_shim_turned {
    unsigned long long quarters;
    double rest;
};
// A float below 2^50 times 2/pi is exact as a sum of two fused products. A greater one is divided by a power of two, and of
// that power times 2/pi whole turns may be left out. No table is looked up by an index, which would keep loops from becoming
// vectors: a compiler would have to know that no store goes there.
CUDA_SHIM_INLINE cuda_shim_turned cuda_shim_reduced_angle(double x) {
    double size = __builtin_fabs(x), scale = 1.0, high = cuda_shim_turns[0][0], low = cuda_shim_turns[0][1];
#define CUDA_SHIM_BEYOND(limit, factor, at)               \
    scale = size >= limit ? factor : scale;               \
    high = size >= limit ? cuda_shim_turns[at][0] : high; \
    low = size >= limit ? cuda_shim_turns[at][1] : low;
    CUDA_SHIM_BEYOND(0x1p50, 0x1p-26, 1)
    CUDA_SHIM_BEYOND(0x1p76, 0x1p-52, 2)
    CUDA_SHIM_BEYOND(0x1p102, 0x1p-78, 3)
#undef CUDA_SHIM_BEYOND
    size *= scale;
    // The product's rounding may leave three quarters of one, the low part an eighth.
    const double quarters = __builtin_rint(size * high);
    const double most = __builtin_fma(size, low, __builtin_fma(size, high, -quarters)), further = __builtin_rint(most);
    return {cuda_shim_low_bits(quarters + further), most - further};
}
CUDA_SHIM_INLINE double cuda_shim_flipped(double value, unsigned long long odd) {
    return cuda_shim_bits<double>(cuda_shim_bits<unsigned long long>(value) ^ (odd << 63));
}
// The sine and the cosine of the rest.
CUDA_SHIM_INLINE double cuda_shim_rest_sine(double rest) {
    return rest * cuda_shim_polynomial(rest * rest, cuda_shim_sin_coefficients);
}
CUDA_SHIM_INLINE double cuda_shim_rest_cosine(double rest) {
    return cuda_shim_step(rest * rest, cuda_shim_polynomial(rest * rest, cuda_shim_cos_coefficients), 1.0);
}
// The sine of an angle `ahead` quarters further on.
CUDA_SHIM_INLINE double cuda_shim_sine_of(const cuda_shim_turned& angle, unsigned long long ahead) {
    const unsigned long long quarters = angle.quarters + ahead;
    const double sine = cuda_shim_rest_sine(angle.rest), cosine = cuda_shim_rest_cosine(angle.rest);
    return cuda_shim_flipped(quarters & 1 ? cosine : sine, quarters >> 1 & 1);
}
CUDA_SHIM_INLINE double cuda_shim_sin_wide(double x) {
    const unsigned long long below = cuda_shim_bits<unsigned long long>(x) >> 63;
    return cuda_shim_flipped(cuda_shim_sine_of(cuda_shim_reduced_angle(x), 0), below);
}
CUDA_SHIM_INLINE double cuda_shim_cos_wide(double x) { return cuda_shim_sine_of(cuda_shim_reduced_angle(x), 1); }
CUDA_SHIM_INLINE double cuda_shim_tan_wide(double x) {
    const cuda_shim_turned angle = cuda_shim_reduced_angle(x);
    const double sine = cuda_shim_rest_sine(angle.rest), cosine = cuda_shim_rest_cosine(angle.rest);
    const bool across = angle.quarters & 1;
    const unsigned long long below = cuda_shim_bits<unsigned long long>(x) >> 63;
    return cuda_shim_flipped((across ? -cosine : sine) / (across ? sine : cosine), below);
}
// The parts of pi times x: the excess of x over even numbers is exact, and so are its quarters.
CUDA_SHIM_INLINE cuda_shim_turned cuda_shim_half_turns(double x) {
    const double turn = x - 2.0 * __builtin_rint(0.5 * x), quarters = __builtin_rint(2.0 * turn);
    return {cuda_shim_low_bits(quarters), 2.0 * turn - quarters};
}
CUDA_SHIM_INLINE double cuda_shim_sinpi_wide(double x) {
    const double value = cuda_shim_sine_of(cuda_shim_half_turns(x), 0);
    return value == 0.0 ? __builtin_copysign(0.0, x) : value;
}
CUDA_SHIM_INLINE double cuda_shim_cospi_wide(double x) {
    return cuda_shim_sine_of(cuda_shim_half_turns(x), 1) + 0.0;  // no negative zero
}
CUDA_SHIM_OF_FLOAT(sinf, cuda_shim_sin_wide(x))
CUDA_SHIM_OF_FLOAT(cosf, cuda_shim_cos_wide(x))
CUDA_SHIM_OF_FLOAT(tanf, cuda_shim_tan_wide(x))

#define CUDA_SHIM_HALF_PI 1.57079632679489661923
// The angle in the first quarter, by the reciprocal where the tangent is more than 1.
CUDA_SHIM_INLINE double cuda_shim_atan_of(double y, double x) {
    const double up = __builtin_fabs(y), across = __builtin_fabs(x);
    const bool steep = up > across;
    const double tangent = (steep ? across : up) / (steep ? up : across);
    const double angle = tangent * cuda_shim_polynomial(tangent * tangent, cuda_shim_atan_coefficients);
    return steep ? CUDA_SHIM_HALF_PI - angle : angle;
}
CUDA_SHIM_INLINE double cuda_shim_atan_wide(double x) { return __builtin_copysign(cuda_shim_atan_of(x, 1.0), x); }
CUDA_SHIM_INLINE double cuda_shim_atan2_wide(double y, double x) {
    const bool infinite = (__builtin_fabs(x) == __builtin_inf()) & (__builtin_fabs(y) == __builtin_inf());
    double angle = infinite ? 0.5 * CUDA_SHIM_HALF_PI : cuda_shim_atan_of(y, x);
    angle = ((x == 0.0) & (y == 0.0)) ? 0.0 : angle;
    angle = cuda_shim_bits<unsigned long long>(x) >> 63 ? 2.0 * CUDA_SHIM_HALF_PI - angle : angle;
    return __builtin_copysign(angle, y);
}
// The arc sine of a size; for a great one, more than a half, half its arc cosine, whose sine is sqrt((1 - size) / 2).
CUDA_SHIM_INLINE double cuda_shim_asin_size(double size, bool great) {
    const double half_missing = 0.5 - 0.5 * size, sine = great ? __builtin_sqrt(half_missing) : size;
    return sine * cuda_shim_polynomial(great ? half_missing : size * size, cuda_shim_asin_coefficients);
}
CUDA_SHIM_INLINE double cuda_shim_asin_wide(double x) {
    const double size = __builtin_fabs(x);
    const bool great = size > 0.5;
    const double angle = cuda_shim_asin_size(size, great);
    return __builtin_copysign(great ? CUDA_SHIM_HALF_PI - 2.0 * angle : angle, x);
}
CUDA_SHIM_INLINE double cuda_shim_acos_wide(double x) {
    const double size = __builtin_fabs(x);
    const bool great = size > 0.5;
    const double angle = cuda_shim_asin_size(size, great);
    const double beside = x < 0.0 ? 2.0 * CUDA_SHIM_HALF_PI - 2.0 * angle : 2.0 * angle;
    return great ? beside : CUDA_SHIM_HALF_PI - __builtin_copysign(angle, x);
}
CUDA_SHIM_OF_FLOAT(atanf, cuda_shim_atan_wide(x))
CUDA_SHIM_OF_FLOAT(asinf, cuda_shim_asin_wide(x))
CUDA_SHIM_OF_FLOAT(acosf, cuda_shim_acos_wide(x))
extern "C" {
CUDA_SHIM_WRITTEN_OUT float atan2f(float y, float x) noexcept { return (float)cuda_shim_atan2_wide(y, x); }
}

// erf by its own polynomial up to 1, and beyond by erfc, which is e^(-x^2) times a factor that changes slowly.
CUDA_SHIM_INLINE double cuda_shim_erf_near(double x) { return x * cuda_shim_polynomial(x * x, cuda_shim_erf_coefficients); }
CUDA_SHIM_INLINE double cuda_shim_erfc_far(double size) {
    const double x = size < 10.1 ? size : 10.1;
    const double slow = cuda_shim_polynomial((x - 2.5) / (x + 2.5), cuda_shim_erfc_coefficients);
    return slow * cuda_shim_exp_wide(-size * size) / (1.0 + 2.0 * x);
}
CUDA_SHIM_INLINE double cuda_shim_erf_wide(double x) {
    const double size = __builtin_fabs(x);
    return size > 1.0 ? __builtin_copysign(1.0 - cuda_shim_erfc_far(size), x) : cuda_shim_erf_near(x);
}
CUDA_SHIM_INLINE double cuda_shim_erfc_wide(double x) {
    const double size = __builtin_fabs(x), far = cuda_shim_erfc_far(size);
    return size > 1.0 ? (x < 0.0 ? 2.0 - far : far) : 1.0 - cuda_shim_erf_near(x);
}
CUDA_SHIM_OF_FLOAT(erff, cuda_shim_erf_wide(x))
CUDA_SHIM_OF_FLOAT(erfcf, cuda_shim_erfc_wide(x))
