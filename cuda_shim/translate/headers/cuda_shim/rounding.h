// Arithmetic in the rounding directions that the hardware's mode does not give: towards zero, up and down.
//
// HIP leaves most of these out and lets the rest round to nearest. Here the nearest result is corrected by one step
// where the exact rounding error, which a sum and a product have as another number, says so. Results that underflow
// may miss the step.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

enum cuda_on_hip_direction { cuda_on_hip_rz, cuda_on_hip_ru, cuda_on_hip_rd };

CUDA_ON_HIP_DEVICE float cuda_on_hip_step(float value, bool up) {
    int bits = cuda_on_hip_bits<int>(value);
    if (value == 0.0f) return cuda_on_hip_bits<float>(up ? 1 : (int)0x80000001u);
    return cuda_on_hip_bits<float>(bits + ((value > 0) == up ? 1 : -1));
}
CUDA_ON_HIP_DEVICE double cuda_on_hip_step(double value, bool up) {
    long long bits = cuda_on_hip_bits<long long>(value);
    if (value == 0.0) return cuda_on_hip_bits<double>(up ? 1ll : (long long)0x8000000000000001ull);
    return cuda_on_hip_bits<double>(bits + ((value > 0) == up ? 1ll : -1ll));
}

// `nearest` moved one step where the exact value, which lies `error` above it, is beyond it in that direction.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_directed(T nearest, T error, cuda_on_hip_direction direction) {
    if (!(error != 0) || !(nearest - nearest == 0)) return nearest;  // exact, or not a finite number
    const bool above = error > 0;
    if (direction == cuda_on_hip_ru) return above ? cuda_on_hip_step(nearest, true) : nearest;
    if (direction == cuda_on_hip_rd) return above ? nearest : cuda_on_hip_step(nearest, false);
    const bool outside = nearest > 0 ? !above : nearest < 0 ? above : false;
    return outside ? cuda_on_hip_step(nearest, !(nearest > 0)) : nearest;
}
// The rounding error of a + b. Contraction and reordering would destroy it, so each step is kept apart.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_sum_error(T a, T b, T sum) {
#pragma clang fp contract(off) reassociate(off)
    const T part = sum - a;
    return (a - (sum - part)) + (b - part);
}
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_add_directed(T a, T b, cuda_on_hip_direction direction) {
    const T sum = a + b;
    return cuda_on_hip_directed(sum, cuda_on_hip_sum_error(a, b, sum), direction);
}
CUDA_ON_HIP_DEVICE float cuda_on_hip_fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CUDA_ON_HIP_DEVICE double cuda_on_hip_fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_mul_directed(T a, T b, cuda_on_hip_direction direction) {
    const T product = a * b;
    return cuda_on_hip_directed(product, cuda_on_hip_fused(a, b, -product), direction);
}
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_div_directed(T a, T b, cuda_on_hip_direction direction) {
    const T quotient = a / b;
    const T rest = cuda_on_hip_fused(-quotient, b, a);
    return cuda_on_hip_directed(quotient, b < 0 ? -rest : rest, direction);
}
CUDA_ON_HIP_DEVICE float cuda_on_hip_root(float a) { return __builtin_sqrtf(a); }
CUDA_ON_HIP_DEVICE double cuda_on_hip_root(double a) { return __builtin_sqrt(a); }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_sqrt_directed(T a, cuda_on_hip_direction direction) {
    const T root = cuda_on_hip_root(a);
    return cuda_on_hip_directed(root, cuda_on_hip_fused(-root, root, a), direction);
}
// The rounding error of fma(a, b, c), by Boldo and Muller.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_fma_directed(T a, T b, T c, cuda_on_hip_direction direction) {
#pragma clang fp contract(off) reassociate(off)
    const T result = cuda_on_hip_fused(a, b, c);
    const T product = a * b, product_error = cuda_on_hip_fused(a, b, -product);
    const T low = c + product_error, low_error = cuda_on_hip_sum_error(c, product_error, low);
    const T high = product + low, high_error = cuda_on_hip_sum_error(product, low, high);
    return cuda_on_hip_directed(result, ((high - result) + high_error) + low_error, direction);
}
// From double to float, and from integers: the error is what converting back leaves.
CUDA_ON_HIP_DEVICE float cuda_on_hip_double2float_directed(double value, cuda_on_hip_direction direction) {
    const float nearest = (float)value;
    const double error = value - (double)nearest;
    return cuda_on_hip_directed(nearest, error > 0 ? 1.0f : error < 0 ? -1.0f : 0.0f, direction);
}
template <class T, class Integer>
CUDA_ON_HIP_DEVICE T cuda_on_hip_integer_directed(Integer value, cuda_on_hip_direction direction) {
    const T nearest = (T)value;
    // The largest numbers may round to a power of two that is no Integer any more.
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
