// Arithmetic in the rounding directions that the hardware's mode does not give: towards zero, up and down.
//
// HIP leaves most of these out and lets the rest round to nearest. Here the nearest result is corrected by one step
// where the exact result is beyond it. The side is computed from significands, so that no intermediate number
// overflows or vanishes.
#pragma once
#pragma GCC system_header
#include <cuda_shim/float_parts.h>

enum cuda_on_hip_direction { cuda_on_hip_rz, cuda_on_hip_ru, cuda_on_hip_rd };

// `nearest`, moved one step if the exact value, on the side of `error`'s sign, is beyond it in that direction.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_directed(T nearest, T error, cuda_on_hip_direction direction) {
    if (!(error != 0)) return nearest;
    const bool above = error > 0, negative = cuda_on_hip_is_negative(nearest);
    if (direction == cuda_on_hip_ru) return above ? cuda_on_hip_step(nearest, true) : nearest;
    if (direction == cuda_on_hip_rd) return above ? nearest : cuda_on_hip_step(nearest, false);
    return above == negative ? cuda_on_hip_step(nearest, negative) : nearest;
}
// The same for a result of finite numbers: an infinite one has overflowed, and the exact one is smaller in size.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_finite_directed(T nearest, T error, cuda_on_hip_direction direction) {
    if (!cuda_on_hip_is_finite(nearest)) error = cuda_on_hip_is_negative(nearest) ? (T)1 : (T)-1;
    return cuda_on_hip_directed(nearest, error, direction);
}
// A sum that is exactly zero: that of zeros of one sign keeps it, any other is negative when rounding down.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_zero_sum(bool first_negative, bool second_negative, cuda_on_hip_direction direction) {
    return (direction == cuda_on_hip_rd ? first_negative || second_negative : first_negative && second_negative) ? (T)-0.0 : (T)0;
}

// The rounding error of a + b. Contraction and reordering would destroy it, so each step is kept apart.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_sum_error(T a, T b, T sum) {
#pragma clang fp contract(off) reassociate(off)
    const T part = sum - a;
    return (a - (sum - part)) + (b - part);
}
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_add_directed(T a, T b, cuda_on_hip_direction direction) {
    const T sum = a + b;
    if (!cuda_on_hip_is_finite(a) || !cuda_on_hip_is_finite(b)) return sum;
    if (sum == 0) return cuda_on_hip_zero_sum<T>(cuda_on_hip_is_negative(a), cuda_on_hip_is_negative(b), direction);
    return cuda_on_hip_finite_directed(sum, cuda_on_hip_sum_error(a, b, sum), direction);
}
CUDA_ON_HIP_DEVICE float cuda_on_hip_fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CUDA_ON_HIP_DEVICE double cuda_on_hip_fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_mul_directed(T a, T b, cuda_on_hip_direction direction) {
    const T product = a * b;
    if (a == 0 || b == 0 || !cuda_on_hip_is_finite(a) || !cuda_on_hip_is_finite(b)) return product;
    int of_a, of_b;
    const T p = cuda_on_hip_significand(a, of_a), q = cuda_on_hip_significand(b, of_b);
    return cuda_on_hip_finite_directed(product, cuda_on_hip_fused(p, q, -cuda_on_hip_scaled(product, -(of_a + of_b))), direction);
}
// Quotients and roots of floats in double precision, since options may make the float instructions inexact. Directed
// rounding works from either of the two floats beside the exact value.
CUDA_ON_HIP_DEVICE float cuda_on_hip_quotient(float a, float b) { return (float)((double)a / (double)b); }
CUDA_ON_HIP_DEVICE double cuda_on_hip_quotient(double a, double b) { return a / b; }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_div_directed(T a, T b, cuda_on_hip_direction direction) {
    const T quotient = cuda_on_hip_quotient(a, b);
    if (a == 0 || b == 0 || !cuda_on_hip_is_finite(a) || !cuda_on_hip_is_finite(b)) return quotient;
    int of_a, of_b;
    const T p = cuda_on_hip_significand(a, of_a), q = cuda_on_hip_significand(b, of_b);
    const T rest = cuda_on_hip_fused(-cuda_on_hip_scaled(quotient, of_b - of_a), q, p);
    return cuda_on_hip_finite_directed(quotient, b < 0 ? -rest : rest, direction);
}
CUDA_ON_HIP_DEVICE float cuda_on_hip_root(float a) { return (float)sqrt((double)a); }
CUDA_ON_HIP_DEVICE double cuda_on_hip_root(double a) { return sqrt(a); }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_sqrt_directed(T a, cuda_on_hip_direction direction) {
    const T root = cuda_on_hip_root(a);
    if (!(a > 0) || !cuda_on_hip_is_finite(a)) return root;
    int exponent;
    T p = cuda_on_hip_significand(a, exponent);
    if (exponent & 1) p *= 2, --exponent;
    const T scaled = cuda_on_hip_scaled(root, -exponent / 2);
    return cuda_on_hip_directed(root, cuda_on_hip_fused(-scaled, scaled, p), direction);
}
// The side of the rounding error of fma(a, b, c), by Boldo and Muller, for operands that neither overflow nor vanish.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_fma_error(T a, T b, T c, T result) {
#pragma clang fp contract(off) reassociate(off)
    const T product = a * b, product_error = cuda_on_hip_fused(a, b, -product);
    const T low = c + product_error, low_error = cuda_on_hip_sum_error(c, product_error, low);
    const T high = product + low, high_error = cuda_on_hip_sum_error(product, low, high);
    return ((high - result) + high_error) + low_error;
}
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_fma_directed(T a, T b, T c, cuda_on_hip_direction direction) {
    const T result = cuda_on_hip_fused(a, b, c);
    if (!cuda_on_hip_is_finite(a) || !cuda_on_hip_is_finite(b) || !cuda_on_hip_is_finite(c)) return result;
    const bool negative = cuda_on_hip_is_negative(a) != cuda_on_hip_is_negative(b);
    if (a == 0 || b == 0)
        return c == 0 ? cuda_on_hip_zero_sum<T>(negative, cuda_on_hip_is_negative(c), direction) : c;
    if (c == 0) return cuda_on_hip_mul_directed(a, b, direction);
    if (!cuda_on_hip_is_finite(result)) return cuda_on_hip_finite_directed(result, (T)0, direction);
    int of_a, of_b, of_c;
    T p = cuda_on_hip_significand(a, of_a), q = cuda_on_hip_significand(b, of_b), r = cuda_on_hip_significand(c, of_c);
    // The larger of product and summand becomes a number near one. If the other one is too small for any digit of the
    // result, its sign alone decides.
    constexpr int out_of_reach = -(2 * cuda_on_hip_parts<T>::digits + 12);
    const int of_product = of_a + of_b, largest = of_product > of_c ? of_product : of_c;
    const int down_product = of_product - largest, down_summand = of_c - largest;
    p *= cuda_on_hip_power<T>(down_product > out_of_reach ? down_product : out_of_reach);
    r *= cuda_on_hip_power<T>(down_summand > out_of_reach ? down_summand : out_of_reach);
    const T error = cuda_on_hip_fma_error(p, q, r, cuda_on_hip_scaled(result, -largest));
    if (result == 0 && error == 0) return cuda_on_hip_zero_sum<T>(true, false, direction);
    return cuda_on_hip_directed(result, error, direction);
}
// From double to float, and from integers: the error is the difference after converting back.
CUDA_ON_HIP_DEVICE float cuda_on_hip_double2float_directed(double value, cuda_on_hip_direction direction) {
    const float nearest = (float)value;
    const double error = value - (double)nearest;
    const float side = error > 0 ? 1.0f : error < 0 ? -1.0f : 0.0f;
    return cuda_on_hip_is_finite(value) ? cuda_on_hip_finite_directed(nearest, side, direction) : nearest;
}
template <class T, class Integer>
CUDA_ON_HIP_DEVICE T cuda_on_hip_integer_directed(Integer value, cuda_on_hip_direction direction) {
    const T nearest = (T)value;
    // The largest numbers may round to a power of two that Integer cannot hold.
    constexpr Integer largest = (Integer)-1 < 0 ? (Integer)(((unsigned long long)1 << (8 * sizeof(Integer) - 1)) - 1) : (Integer)-1;
    const bool overflown = value > 0 && nearest >= (T)(largest / 2 + 1) * 2;
    const Integer back = overflown ? largest : (Integer)nearest;
    const T error = overflown || back > value ? (T)-1 : back < value ? (T)1 : (T)0;
    return cuda_on_hip_directed(nearest, error, direction);
}

#define CUDA_ON_HIP_ROUNDED(way)                                                                                       \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_fadd_##way(float a, float b) { return cuda_on_hip_add_directed(a, b, cuda_on_hip_##way); }   \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_fsub_##way(float a, float b) { return cuda_on_hip_add_directed(a, -b, cuda_on_hip_##way); }  \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_fmul_##way(float a, float b) { return cuda_on_hip_mul_directed(a, b, cuda_on_hip_##way); }   \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_fdiv_##way(float a, float b) { return cuda_on_hip_div_directed(a, b, cuda_on_hip_##way); }   \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_frcp_##way(float a) { return cuda_on_hip_div_directed(1.0f, a, cuda_on_hip_##way); }         \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_fsqrt_##way(float a) { return cuda_on_hip_sqrt_directed(a, cuda_on_hip_##way); }             \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_fmaf_##way(float a, float b, float c) {                                         \
        return cuda_on_hip_fma_directed(a, b, c, cuda_on_hip_##way);                                                     \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_dadd_##way(double a, double b) { return cuda_on_hip_add_directed(a, b, cuda_on_hip_##way); } \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_dsub_##way(double a, double b) { return cuda_on_hip_add_directed(a, -b, cuda_on_hip_##way); } \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_dmul_##way(double a, double b) { return cuda_on_hip_mul_directed(a, b, cuda_on_hip_##way); } \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_ddiv_##way(double a, double b) { return cuda_on_hip_div_directed(a, b, cuda_on_hip_##way); } \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_drcp_##way(double a) { return cuda_on_hip_div_directed(1.0, a, cuda_on_hip_##way); }        \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_dsqrt_##way(double a) { return cuda_on_hip_sqrt_directed(a, cuda_on_hip_##way); }           \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_fma_##way(double a, double b, double c) {                                      \
        return cuda_on_hip_fma_directed(a, b, c, cuda_on_hip_##way);                                                     \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_double2float_##way(double a) {                                                  \
        return cuda_on_hip_double2float_directed(a, cuda_on_hip_##way);                                                  \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_int2float_##way(int a) { return cuda_on_hip_integer_directed<float>(a, cuda_on_hip_##way); } \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_uint2float_##way(unsigned a) {                                                  \
        return cuda_on_hip_integer_directed<float>(a, cuda_on_hip_##way);                                                \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_ll2float_##way(long long a) {                                                   \
        return cuda_on_hip_integer_directed<float>(a, cuda_on_hip_##way);                                                \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE float cuda_on_hip_ull2float_##way(unsigned long long a) {                                         \
        return cuda_on_hip_integer_directed<float>(a, cuda_on_hip_##way);                                                \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_ll2double_##way(long long a) {                                                 \
        return cuda_on_hip_integer_directed<double>(a, cuda_on_hip_##way);                                               \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE double cuda_on_hip_ull2double_##way(unsigned long long a) {                                       \
        return cuda_on_hip_integer_directed<double>(a, cuda_on_hip_##way);                                               \
    }
CUDA_ON_HIP_ROUNDED(rz)
CUDA_ON_HIP_ROUNDED(ru)
CUDA_ON_HIP_ROUNDED(rd)
#undef CUDA_ON_HIP_ROUNDED

// Roots rounded to nearest, for which HIP has only the hardware's approximation.
CUDA_ON_HIP_DEVICE float cuda_on_hip_fsqrt_rn(float a) { return cuda_on_hip_root(a); }
// In double precision; between two candidate floats, their midpoint decides, whose square is exact.
CUDA_ON_HIP_DEVICE float cuda_on_hip_frsqrt_rn(float a) {
    const double close = 1.0 / sqrt((double)a);
    const float nearest = (float)close;
    if (!(a > 0) || !cuda_on_hip_is_finite(a) || (double)nearest == close) return nearest;
    const float other = cuda_on_hip_step(nearest, close > (double)nearest);
    const double between = 0.5 * ((double)nearest + (double)other);
    const bool above = cuda_on_hip_fused(between * between, (double)a, -1.0) < 0;
    return above == (nearest > other) ? nearest : other;
}
