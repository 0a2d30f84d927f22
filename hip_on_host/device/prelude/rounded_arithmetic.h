// Arithmetic with a rounding mode in its name. The host rounds to nearest anyway. Sums and products of floats are
// rounded the other ways from their exact values, which two doubles hold; for everything else the processor's own mode
// is changed around the operation. So they are right to the bit: near zero, near infinity, and in the sign of a zero
// too.
#pragma once
// Part for programs with names that begin with: __fadd_ __fsub_ __fmul_ __fdiv_ __frcp_ __fsqrt_ __frsqrt_ __fmaf_
//   __dadd_ __dsub_ __dmul_ __ddiv_ __drcp_ __dsqrt_ __fma_

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
// A value that is opaque to the compiler at this point: its operands are not computed later, nor its uses earlier.
template <class T> CUDA_SHIM_INLINE T cuda_shim_opaque(T x) {
#if defined(__x86_64__)
    asm volatile("" : "+x"(x));
#else
    asm volatile("" : "+w"(x));
#endif
    return x;
}
// Operands are rounded in the previous mode, so they have to be ready; the operation itself, and nothing else, has to
// happen in between. So it has a function of its own: compilers, which know of one mode only, would also move the
// program's neighbouring operations in between.
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

// A number as two doubles: the nearest double, and the rest.
struct cuda_shim_double_pair {
    double near, rest;
};
// The product of two floats is a double, and so is the rounding error of its sum with a third one.
CUDA_SHIM_INLINE cuda_shim_double_pair cuda_shim_exact_fma(float x, float y, float z) {
    const double product = (double)x * (double)y, added = z;
    const double near = product + added, back = near - product;
    return {near, (product - (near - back)) + (added - back)};
}
CUDA_SHIM_INLINE float cuda_shim_next_float(float x, bool up) {
    unsigned int bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const bool away = ((int)bits >= 0) == up;
    bits = x == 0.0f ? (up ? 1u : 0x80000001u) : away ? bits + 1 : bits - 1;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
// The float next to the number in the direction, which is the number itself where it is a float. Between two floats
// there are doubles, so that the distance of the nearest double from the number does not reach beyond a float. A sum
// that is zero is negative if rounded down, unless both summands are positive zeros.
template <cuda_shim_rounding Mode> CUDA_SHIM_INLINE float cuda_shim_directed(cuda_shim_double_pair number, bool positive_zeros) {
    const float nearest = (float)number.near;
    const double found = nearest;
    const bool above = found > number.near || (found == number.near && number.rest < 0.0);
    const bool below = found < number.near || (found == number.near && number.rest > 0.0);
    const bool up = Mode == CUDA_SHIM_ROUND_UP || (Mode == CUDA_SHIM_ROUND_TO_ZERO && number.near < 0.0);
    const float next = cuda_shim_next_float(nearest, up);
    const float result = (up ? below : above) ? next : nearest;
    return Mode == CUDA_SHIM_ROUND_DOWN && number.near == 0.0 && !positive_zeros ? -0.0f : result;
}
template <cuda_shim_rounding Mode> CUDA_SHIM_INLINE float cuda_shim_directed_fma(float x, float y, float z) {
    const float product = x * y;
    const bool zeros = z == 0.0f && !__builtin_signbit(z) && !__builtin_signbit(product);
    return cuda_shim_directed<Mode>(cuda_shim_exact_fma(x, y, z), zeros);
}
template <cuda_shim_rounding Mode> CUDA_SHIM_INLINE float cuda_shim_directed_product(float x, float y) {
    return cuda_shim_directed<Mode>({(double)x * (double)y, 0.0}, !__builtin_signbit(x * y));
}

// T: the type, p: its letter in the names, fma: the name of its fused operation.
#define CUDA_SHIM_NEAREST(T, p, fma)                                                                \
    CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE T __##p##add_rn(T x, T y) { return x + y; }                                     \
    CUDA_SHIM_INLINE T __##p##sub_rn(T x, T y) { return x - y; }                                     \
    CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE T __##p##mul_rn(T x, T y) { return x * y; }                                     \
    CUDA_SHIM_INLINE T __##p##div_rn(T x, T y) { return x / y; }                                     \
    CUDA_SHIM_INLINE T __##p##rcp_rn(T x) { return (T)1 / x; }                                       \
    CUDA_SHIM_INLINE T __##p##sqrt_rn(T x) { return cuda_shim_sqrt(x); }                             \
    CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE T fma##_rn(T x, T y, T z) { return cuda_shim_fma(x, y, z); }
#define CUDA_SHIM_DIRECTED_SUMS(T, p, fma, suffix, mode)                                                                   \
    CUDA_SHIM_INLINE T __##p##add_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a + b; }); } \
    CUDA_SHIM_INLINE T __##p##sub_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a - b; }); } \
    CUDA_SHIM_INLINE T __##p##mul_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a * b; }); } \
    CUDA_SHIM_INLINE T fma##_##suffix(T x, T y, T z) {                                                                     \
        return cuda_shim_rounded<mode>(x, y, z, [](T a, T b, T c) { return cuda_shim_fma(a, b, c); });                     \
    }
#define CUDA_SHIM_DIRECTED(T, p, suffix, mode)                                                                             \
    CUDA_SHIM_INLINE T __##p##div_##suffix(T x, T y) { return cuda_shim_rounded<mode>(x, y, y, [](T a, T b, T) { return a / b; }); } \
    CUDA_SHIM_INLINE T __##p##rcp_##suffix(T x) { return __##p##div_##suffix((T)1, x); }                                   \
    CUDA_SHIM_INLINE T __##p##sqrt_##suffix(T x) {                                                                         \
        return cuda_shim_rounded<mode>(x, x, x, [](T a, T, T) { return cuda_shim_sqrt(a); });                              \
    }
#ifdef CUDA_SHIM_FAST_MATH  // compilers may then take a rounding error for zero
#define CUDA_SHIM_DIRECTED_FLOAT(suffix, mode) CUDA_SHIM_DIRECTED_SUMS(float, f, __fmaf, suffix, mode)
#else
#define CUDA_SHIM_DIRECTED_FLOAT(suffix, mode)                                                                             \
    CUDA_SHIM_INLINE float __fadd_##suffix(float x, float y) { return cuda_shim_directed_fma<mode>(x, 1.0f, y); }          \
    CUDA_SHIM_INLINE float __fsub_##suffix(float x, float y) { return cuda_shim_directed_fma<mode>(x, 1.0f, -y); }         \
    CUDA_SHIM_INLINE float __fmul_##suffix(float x, float y) { return cuda_shim_directed_product<mode>(x, y); }            \
    CUDA_SHIM_INLINE float __fmaf_##suffix(float x, float y, float z) { return cuda_shim_directed_fma<mode>(x, y, z); }
#endif
#define CUDA_SHIM_DIRECTED_ALL(suffix, mode)                    \
    CUDA_SHIM_DIRECTED_FLOAT(suffix, mode)                      \
    CUDA_SHIM_DIRECTED_SUMS(double, d, __fma, suffix, mode)     \
    CUDA_SHIM_DIRECTED(float, f, suffix, mode)                  \
    CUDA_SHIM_DIRECTED(double, d, suffix, mode)
CUDA_SHIM_NEAREST(float, f, __fmaf)
CUDA_SHIM_NEAREST(double, d, __fma)
CUDA_SHIM_DIRECTED_ALL(rd, CUDA_SHIM_ROUND_DOWN)
CUDA_SHIM_DIRECTED_ALL(ru, CUDA_SHIM_ROUND_UP)
CUDA_SHIM_DIRECTED_ALL(rz, CUDA_SHIM_ROUND_TO_ZERO)

// Denormals are kept here always.
#define __fmaf_ieee_rn __fmaf_rn
#define __fmaf_ieee_rd __fmaf_rd
#define __fmaf_ieee_ru __fmaf_ru
#define __fmaf_ieee_rz __fmaf_rz

// Computed in double precision; if that leaves two floats to choose from, the point between them, whose square is
// exact, decides.
CUDA_SHIM_INLINE float __frsqrt_rn(float x) {
    const double close = 1.0 / __builtin_sqrt((double)x);
    const float nearest = (float)close;
    if (!(x > 0.0f) || x > 3.402823466e38f || (double)nearest == close) return nearest;
    const float other = __builtin_nextafterf(nearest, close > (double)nearest ? __builtin_inff() : 0.0f);
    const double between = 0.5 * ((double)nearest + other);
    const bool above = __builtin_fma(between * between, (double)x, -1.0) < 0.0;
    return above == (nearest > other) ? nearest : other;
}
