// Arithmetic with a rounding mode in its name. To nearest is how the host rounds anyway; for the others the processor's
// own mode is changed around the operation, so that they are right to the bit: near zero, near infinity, and in the sign
// of a zero too.
#pragma once

enum cuda_shim_rounding { CUDA_SHIM_ROUND_DOWN, CUDA_SHIM_ROUND_UP, CUDA_SHIM_ROUND_TO_ZERO };

// The processor's rounding mode for as long as this lives.
template <cuda_shim_rounding Mode> struct cuda_shim_rounding_mode {
#if defined(__x86_64__)
    unsigned int before;  // MXCSR: bits 13 and 14
    __attribute__((always_inline)) cuda_shim_rounding_mode() {
        asm volatile("stmxcsr %0" : "=m"(before));
        const unsigned int bits = Mode == CUDA_SHIM_ROUND_DOWN ? 1 : Mode == CUDA_SHIM_ROUND_UP ? 2 : 3;
        const unsigned int changed = (before & ~0x6000u) | bits << 13;
        asm volatile("ldmxcsr %0" : : "m"(changed));
    }
    __attribute__((always_inline)) ~cuda_shim_rounding_mode() { asm volatile("ldmxcsr %0" : : "m"(before)); }
#elif defined(__aarch64__)
    unsigned long long before;  // FPCR: bits 22 and 23
    __attribute__((always_inline)) cuda_shim_rounding_mode() {
        asm volatile("mrs %0, fpcr" : "=r"(before));
        const unsigned long long bits = Mode == CUDA_SHIM_ROUND_DOWN ? 2 : Mode == CUDA_SHIM_ROUND_UP ? 1 : 3;
        asm volatile("msr fpcr, %0" : : "r"((before & ~0xc00000ull) | bits << 22));
    }
    __attribute__((always_inline)) ~cuda_shim_rounding_mode() { asm volatile("msr fpcr, %0" : : "r"(before)); }
#else
#error "the rounding mode of this processor is not known"
#endif
};
// A value that the compiler knows nothing of, there and at that time: neither is what it comes from worked out later, nor
// what becomes of it earlier.
template <class T> CUDA_SHIM_INLINE T cuda_shim_opaque(T x) {
#if defined(__x86_64__)
    asm volatile("" : "+x"(x));
#else
    asm volatile("" : "+w"(x));
#endif
    return x;
}
// Operands are rounded in the mode that was there before, so they have to be ready; the operation itself, and nothing else,
// has to happen in between. So it has a function of its own: compilers, which know of one mode only, would move what stands
// around the operation in a program in between as well.
template <cuda_shim_rounding Mode, class T, class Operation>
static __attribute__((noinline)) T cuda_shim_rounded(T x, T y, T z, Operation operation) {
    const T ready_x = cuda_shim_opaque(x), ready_y = cuda_shim_opaque(y), ready_z = cuda_shim_opaque(z);
    const cuda_shim_rounding_mode<Mode> mode;
    const T a = cuda_shim_opaque(ready_x), b = cuda_shim_opaque(ready_y), c = cuda_shim_opaque(ready_z);
    return cuda_shim_opaque(operation(a, b, c));
}

CUDA_SHIM_INLINE float cuda_shim_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUDA_SHIM_INLINE double cuda_shim_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
CUDA_SHIM_INLINE float cuda_shim_sqrt(float x) { return __builtin_sqrtf(x); }
CUDA_SHIM_INLINE double cuda_shim_sqrt(double x) { return __builtin_sqrt(x); }

// T: the type, p: its letter in the names, fma: the name of its fused operation.
#define CUDA_SHIM_NEAREST(T, p, fma)                                                                \
    CUDA_SHIM_INLINE T __##p##add_rn(T x, T y) { return x + y; }                                     \
    CUDA_SHIM_INLINE T __##p##sub_rn(T x, T y) { return x - y; }                                     \
    CUDA_SHIM_INLINE T __##p##mul_rn(T x, T y) { return x * y; }                                     \
    CUDA_SHIM_INLINE T __##p##div_rn(T x, T y) { return x / y; }                                     \
    CUDA_SHIM_INLINE T __##p##rcp_rn(T x) { return (T)1 / x; }                                       \
    CUDA_SHIM_INLINE T __##p##sqrt_rn(T x) { return cuda_shim_sqrt(x); }                             \
    CUDA_SHIM_INLINE T fma##_rn(T x, T y, T z) { return cuda_shim_fma(x, y, z); }
#define CUDA_SHIM_DIRECTED(T, p, fma, suffix, mode)                                                                        \
    CUDA_SHIM_INLINE T __##p##add_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a + b; }); } \
    CUDA_SHIM_INLINE T __##p##sub_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a - b; }); } \
    CUDA_SHIM_INLINE T __##p##mul_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a * b; }); } \
    CUDA_SHIM_INLINE T __##p##div_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a / b; }); } \
    CUDA_SHIM_INLINE T __##p##rcp_##suffix(T x) { return __##p##div_##suffix((T)1, x); }                                   \
    CUDA_SHIM_INLINE T __##p##sqrt_##suffix(T x) {                                                                         \
        return cuda_shim_rounded<mode>(x, x, x, [](T a, T, T) { return cuda_shim_sqrt(a); });                              \
    }                                                                                                                      \
    CUDA_SHIM_INLINE T fma##_##suffix(T x, T y, T z) {                                                                     \
        return cuda_shim_rounded<mode>(x, y, z, [](T a, T b, T c) { return cuda_shim_fma(a, b, c); });                     \
    }
#define CUDA_SHIM_ROUNDED_ARITHMETIC(T, p, fma)                         \
    CUDA_SHIM_NEAREST(T, p, fma)                                        \
    CUDA_SHIM_DIRECTED(T, p, fma, rd, CUDA_SHIM_ROUND_DOWN)             \
    CUDA_SHIM_DIRECTED(T, p, fma, ru, CUDA_SHIM_ROUND_UP)               \
    CUDA_SHIM_DIRECTED(T, p, fma, rz, CUDA_SHIM_ROUND_TO_ZERO)
CUDA_SHIM_ROUNDED_ARITHMETIC(float, f, __fmaf)
CUDA_SHIM_ROUNDED_ARITHMETIC(double, d, __fma)

// Denormals are kept here always.
#define __fmaf_ieee_rn __fmaf_rn
#define __fmaf_ieee_rd __fmaf_rd
#define __fmaf_ieee_ru __fmaf_ru
#define __fmaf_ieee_rz __fmaf_rz

// By double's precision, and where that leaves two floats to choose from by the point between them, whose square is exact.
CUDA_SHIM_INLINE float __frsqrt_rn(float x) {
    const double close = 1.0 / __builtin_sqrt((double)x);
    const float nearest = (float)close;
    if (!(x > 0.0f) || x > 3.402823466e38f || (double)nearest == close) return nearest;
    const float other = __builtin_nextafterf(nearest, close > (double)nearest ? __builtin_inff() : 0.0f);
    const double between = 0.5 * ((double)nearest + other);
    const bool above = __builtin_fma(between * between, (double)x, -1.0) < 0.0;
    return above == (nearest > other) ? nearest : other;
}
