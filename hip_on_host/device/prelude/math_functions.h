// The C math library for kernels: double and float functions, and the C++ overloads for float.
// Where the program includes standard headers they come from there.
#pragma once

// The largest and the smallest of two numbers, or the one that is not a NaN; the positive zero is larger than the
// negative one. Compared here, not by fmax: the C library's makes a NaN of a signalling one, and GCC calls it for each
// thread.
#define CUDA_SHIM_EXTREME(T, Bits)                                                                     \
    CUDA_SHIM_INLINE T cuda_shim_largest(T x, T y) {                                                   \
        return x == y            ? cuda_shim_bits<T>(cuda_shim_bits<Bits>(x) & cuda_shim_bits<Bits>(y)) \
               : x > y || y != y ? x                                                                   \
                                 : y;                                                                  \
    }                                                                                                  \
    CUDA_SHIM_INLINE T cuda_shim_smallest(T x, T y) {                                                  \
        return x == y            ? cuda_shim_bits<T>(cuda_shim_bits<Bits>(x) | cuda_shim_bits<Bits>(y)) \
               : x < y || y != y ? x                                                                   \
                                 : y;                                                                  \
    }
CUDA_SHIM_EXTREME(float, unsigned int)
CUDA_SHIM_EXTREME(double, unsigned long long)

// The distance of x above y, 0 below; a NaN where one of them is. LLVM 22 folds fdim of two infinities to a NaN.
#define CUDA_SHIM_POSITIVE_DIFFERENCE(T) \
    CUDA_SHIM_INLINE T cuda_shim_positive_difference(T x, T y) { return x > y ? x - y : x <= y ? T(0) : x + y; }
CUDA_SHIM_POSITIVE_DIFFERENCE(float)
CUDA_SHIM_POSITIVE_DIFFERENCE(double)

#ifndef CUDA_SHIM_STANDARD_HEADERS
// `facts`: those of all three functions.
#define CUDA_SHIM_MATH_1_WITH(facts, name)                          \
    extern "C" facts CUDA_SHIM_CONST double name(double) noexcept;  \
    extern "C" facts CUDA_SHIM_CONST float name##f(float) noexcept; \
    facts CUDA_SHIM_INLINE float name(float x) { return name##f(x); }
#define CUDA_SHIM_MATH_1(name) CUDA_SHIM_MATH_1_WITH(, name)
#define CUDA_SHIM_MATH_2(name)                            \
    extern "C" CUDA_SHIM_CONST double name(double, double) noexcept;     \
    extern "C" CUDA_SHIM_CONST float name##f(float, float) noexcept;     \
    CUDA_SHIM_INLINE float name(float x, float y) { return name##f(x, y); }

CUDA_SHIM_MATH_1(sin)
CUDA_SHIM_MATH_1(cos)
CUDA_SHIM_MATH_1(tan)
CUDA_SHIM_MATH_1(asin)
CUDA_SHIM_MATH_1(acos)
CUDA_SHIM_MATH_1(atan)
CUDA_SHIM_MATH_1(sinh)
CUDA_SHIM_MATH_1(cosh)
CUDA_SHIM_MATH_1(tanh)
CUDA_SHIM_MATH_1(asinh)
CUDA_SHIM_MATH_1(acosh)
CUDA_SHIM_MATH_1(atanh)
CUDA_SHIM_MATH_1(exp)
CUDA_SHIM_MATH_1(exp2)
CUDA_SHIM_MATH_1(expm1)
CUDA_SHIM_MATH_1(log)
CUDA_SHIM_MATH_1(log2)
CUDA_SHIM_MATH_1(log10)
CUDA_SHIM_MATH_1(log1p)
CUDA_SHIM_MATH_1(logb)
CUDA_SHIM_MATH_1_WITH(CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector), sqrt)
CUDA_SHIM_MATH_1(cbrt)
CUDA_SHIM_MATH_1_WITH(CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector), ceil)
CUDA_SHIM_MATH_1_WITH(CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector), floor)
CUDA_SHIM_MATH_1_WITH(CUDA_SHIM_FACT(vector), trunc)
CUDA_SHIM_MATH_1(round)
CUDA_SHIM_MATH_1_WITH(CUDA_SHIM_FACT(vector), rint)
CUDA_SHIM_MATH_1(nearbyint)
CUDA_SHIM_MATH_1_WITH(CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector), fabs)
CUDA_SHIM_MATH_1(erf)
CUDA_SHIM_MATH_1(erfc)
CUDA_SHIM_MATH_1(tgamma)
CUDA_SHIM_MATH_1(lgamma)
CUDA_SHIM_MATH_1(j0)
CUDA_SHIM_MATH_1(j1)
CUDA_SHIM_MATH_1(y0)
CUDA_SHIM_MATH_1(y1)
CUDA_SHIM_MATH_2(pow)
CUDA_SHIM_MATH_2(atan2)
CUDA_SHIM_MATH_2(fmod)
CUDA_SHIM_MATH_2(hypot)
CUDA_SHIM_MATH_2(copysign)
CUDA_SHIM_MATH_2(remainder)
CUDA_SHIM_MATH_2(nextafter)

CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE double fmax(double x, double y) { return cuda_shim_largest(x, y); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE float fmax(float x, float y) { return cuda_shim_largest(x, y); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE float fmaxf(float x, float y) { return cuda_shim_largest(x, y); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE double fmin(double x, double y) { return cuda_shim_smallest(x, y); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE float fmin(float x, float y) { return cuda_shim_smallest(x, y); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) CUDA_SHIM_INLINE float fminf(float x, float y) { return cuda_shim_smallest(x, y); }
CUDA_SHIM_INLINE double fdim(double x, double y) { return cuda_shim_positive_difference(x, y); }
CUDA_SHIM_INLINE float fdim(float x, float y) { return cuda_shim_positive_difference(x, y); }
CUDA_SHIM_INLINE float fdimf(float x, float y) { return cuda_shim_positive_difference(x, y); }
extern "C" CUDA_SHIM_FACT(vector) double fma(double, double, double) noexcept;
extern "C" CUDA_SHIM_FACT(vector) float fmaf(float, float, float) noexcept;
CUDA_SHIM_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
CUDA_SHIM_INLINE float ldexp(float x, int n) { return ldexpf(x, n); }
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
CUDA_SHIM_INLINE float scalbn(float x, int n) { return scalbnf(x, n); }
extern "C" double scalbln(double, long) noexcept;
extern "C" float scalblnf(float, long) noexcept;
CUDA_SHIM_INLINE float scalbln(float x, long n) { return scalblnf(x, n); }
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
CUDA_SHIM_INLINE float frexp(float x, int* n) { return frexpf(x, n); }
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
CUDA_SHIM_INLINE float modf(float x, float* whole) { return modff(x, whole); }
extern "C" double remquo(double, double, int*) noexcept;
extern "C" float remquof(float, float, int*) noexcept;
CUDA_SHIM_INLINE float remquo(float x, float y, int* q) { return remquof(x, y, q); }
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
CUDA_SHIM_INLINE int ilogb(float x) { return ilogbf(x); }
extern "C" double jn(int, double) noexcept;
extern "C" float jnf(int, float) noexcept;
extern "C" double yn(int, double) noexcept;
extern "C" float ynf(int, float) noexcept;
extern "C" double nan(const char*) noexcept;
extern "C" float nanf(const char*) noexcept;
extern "C" CUDA_SHIM_FACT(pure) CUDA_SHIM_FACT(vector) int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
CUDA_SHIM_INLINE long abs(long x) { return x < 0 ? -x : x; }
CUDA_SHIM_INLINE long long abs(long long x) { return x < 0 ? -x : x; }
CUDA_SHIM_INLINE float abs(float x) { return __builtin_fabsf(x); }
CUDA_SHIM_INLINE double abs(double x) { return __builtin_fabs(x); }

#ifdef CUDA_SHIM_CUDA
// CUDA's own overloads: mixed arguments go the way that C++ finds among float and double. As a float, a great exponent
// may lose whether it is odd.
CUDA_SHIM_INLINE float pow(float x, int y) {
    const float size = powf(__builtin_fabsf(x), (float)y);
    return y & 1 ? __builtin_copysignf(size, x) : size;
}
CUDA_SHIM_INLINE double pow(double x, int y) { return pow(x, (double)y); }
CUDA_SHIM_INLINE double copysign(float x, double y) { return copysign((double)x, y); }
CUDA_SHIM_INLINE double copysign(double x, float y) { return copysign(x, (double)y); }
#else
// C++ gives every function of two arguments a double version for mixed types.
CUDA_SHIM_INLINE double pow(float x, double y) { return pow((double)x, y); }
CUDA_SHIM_INLINE double pow(double x, float y) { return pow(x, (double)y); }
CUDA_SHIM_INLINE double pow(int x, double y) { return pow((double)x, y); }
CUDA_SHIM_INLINE float pow(float x, int y) { return powf(x, (float)y); }
CUDA_SHIM_INLINE double pow(double x, int y) { return pow(x, (double)y); }
CUDA_SHIM_INLINE double pow(int x, int y) { return pow((double)x, (double)y); }
#define CUDA_SHIM_MIXED(name)                                                                      \
    CUDA_SHIM_INLINE double name(float x, double y) { return name((double)x, y); }                 \
    CUDA_SHIM_INLINE double name(double x, float y) { return name(x, (double)y); }                 \
    CUDA_SHIM_INLINE double name(int x, double y) { return name((double)x, y); }                   \
    CUDA_SHIM_INLINE double name(double x, int y) { return name(x, (double)y); }                   \
    CUDA_SHIM_INLINE float name(int x, float y) { return name((float)x, y); }                      \
    CUDA_SHIM_INLINE float name(float x, int y) { return name(x, (float)y); }
CUDA_SHIM_MIXED(fmin)
CUDA_SHIM_MIXED(fmax)
CUDA_SHIM_MIXED(atan2)
CUDA_SHIM_MIXED(fmod)
CUDA_SHIM_MIXED(hypot)
CUDA_SHIM_MIXED(copysign)
#endif
// Integer arguments of the common ones: double, as C++ has it.
#define CUDA_SHIM_OF_INTEGER(name)                                                                 \
    CUDA_SHIM_INLINE double name(int x) { return name((double)x); }                                \
    CUDA_SHIM_INLINE double name(unsigned int x) { return name((double)x); }                       \
    CUDA_SHIM_INLINE double name(long x) { return name((double)x); }                               \
    CUDA_SHIM_INLINE double name(unsigned long x) { return name((double)x); }                      \
    CUDA_SHIM_INLINE double name(long long x) { return name((double)x); }                          \
    CUDA_SHIM_INLINE double name(unsigned long long x) { return name((double)x); }
CUDA_SHIM_OF_INTEGER(sqrt)
CUDA_SHIM_OF_INTEGER(exp)
CUDA_SHIM_OF_INTEGER(log)
CUDA_SHIM_OF_INTEGER(log2)
CUDA_SHIM_OF_INTEGER(log10)
CUDA_SHIM_OF_INTEGER(sin)
CUDA_SHIM_OF_INTEGER(cos)
CUDA_SHIM_OF_INTEGER(tan)
CUDA_SHIM_OF_INTEGER(floor)
CUDA_SHIM_OF_INTEGER(ceil)
CUDA_SHIM_OF_INTEGER(fabs)

#ifdef CUDA_SHIM_CUDA
typedef int cuda_shim_class_test;  // as NVRTC declares them; C++ has bool
#else
typedef bool cuda_shim_class_test;
#endif
#define CUDA_SHIM_CLASSIFY(name)                                                  \
    CUDA_SHIM_INLINE cuda_shim_class_test name(float x) { return __builtin_##name(x) != 0; }  \
    CUDA_SHIM_INLINE cuda_shim_class_test name(double x) { return __builtin_##name(x) != 0; }
CUDA_SHIM_CLASSIFY(isnan)
CUDA_SHIM_CLASSIFY(isinf)
CUDA_SHIM_CLASSIFY(isfinite)
CUDA_SHIM_CLASSIFY(signbit)

#ifndef CUDA_SHIM_CUDA  // NVRTC has neither these without a header nor the functions in std
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

// A kernel that uses std::sqrt without a header for it means these. The program's own declarations in std come before
// them.
namespace cuda_shim_std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh;
using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp;
using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin;
using ::fmod; using ::frexp; using ::hypot; using ::ilogb; using ::isfinite; using ::isinf; using ::isnan;
using ::ldexp; using ::lgamma; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb; using ::modf;
using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; using ::rint; using ::round; using ::scalbn;
using ::scalbln; using ::signbit; using ::sin; using ::sinh; using ::size_t; using ::sqrt; using ::tan; using ::tanh; using ::tgamma;
using ::trunc;
}
namespace std {
using namespace ::cuda_shim_std;
}
#endif
#else
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;
#endif
