// What half and bfloat16 have in common: arithmetic in float, rounded to the narrow type after every operation (which for
// + - * / gives the correctly rounded narrow result), and CUDA's names for it, one by one and in pairs.
#pragma once

// T: the type, with members from(double) and operator float. T2: a pair of them.
#define CUDA_SHIM_NARROW_OPERATOR(T, T2, op)                                                                 \
    CUDA_SHIM_INLINE T operator op(T a, T b) { return T::from((float)a op(float) b); }                       \
    CUDA_SHIM_INLINE T& operator op##=(T& a, T b) { return a = a op b; }                                     \
    CUDA_SHIM_INLINE T2 operator op(T2 a, T2 b) { return T2(a.x op b.x, a.y op b.y); }                       \
    CUDA_SHIM_INLINE T2& operator op##=(T2& a, T2 b) { return a = a op b; }
#define CUDA_SHIM_NARROW_COMPARISON(T, T2, op, name)                                                         \
    CUDA_SHIM_INLINE bool operator op(T a, T b) { return (float)a op(float) b; }                             \
    CUDA_SHIM_INLINE bool __h##name(T a, T b) { return (float)a op(float) b; }                               \
    CUDA_SHIM_INLINE bool __hb##name##2(T2 a, T2 b) { return a.x op b.x && a.y op b.y; }                     \
    CUDA_SHIM_INLINE T2 __h##name##2(T2 a, T2 b) { return T2(T::from(a.x op b.x), T::from(a.y op b.y)); }
#define CUDA_SHIM_NARROW_BINARY(T, T2, name, expression)                                                     \
    CUDA_SHIM_INLINE T __h##name(T a, T b) { return expression; }                                            \
    CUDA_SHIM_INLINE T2 __h##name##2(T2 a, T2 b) { return T2(__h##name(a.x, b.x), __h##name(a.y, b.y)); }
#define CUDA_SHIM_NARROW_MATH(T, T2, name, expression)                                                       \
    CUDA_SHIM_INLINE T h##name(T h) { const float x = h; return T::from(expression); }                       \
    CUDA_SHIM_INLINE T2 h2##name(T2 h) { return T2(h##name(h.x), h##name(h.y)); }

#define CUDA_SHIM_NARROW_FLOAT(T, T2)                                                                        \
    struct CUDA_SHIM_ALIGNED(4) T2 {                                                                         \
        T x, y;                                                                                              \
        T2() = default;                                                                                      \
        CUDA_SHIM_NARROW_MEMBER T2(T a, T b) : x(a), y(b) {}                                                 \
    };                                                                                                       \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, +)                                                                      \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, -)                                                                      \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, *)                                                                      \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, /)                                                                      \
    CUDA_SHIM_INLINE T operator-(T a) { return T::from(-(float)a); }                                         \
    CUDA_SHIM_INLINE T2 operator-(T2 a) { return T2(-a.x, -a.y); }                                           \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, ==, eq)                                                               \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, !=, ne)                                                               \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, <, lt)                                                                \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, <=, le)                                                               \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, >, gt)                                                                \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, >=, ge)                                                               \
    CUDA_SHIM_NARROW_BINARY(T, T2, add, a + b)                                                               \
    CUDA_SHIM_NARROW_BINARY(T, T2, sub, a - b)                                                               \
    CUDA_SHIM_NARROW_BINARY(T, T2, mul, a * b)                                                               \
    CUDA_SHIM_NARROW_BINARY(T, T2, add_rn, a + b)                                                            \
    CUDA_SHIM_NARROW_BINARY(T, T2, sub_rn, a - b)                                                            \
    CUDA_SHIM_NARROW_BINARY(T, T2, mul_rn, a * b)                                                            \
    CUDA_SHIM_INLINE T __hdiv(T a, T b) { return a / b; }                                                    \
    CUDA_SHIM_INLINE T2 __h2div(T2 a, T2 b) { return a / b; }                                                \
    CUDA_SHIM_NARROW_BINARY(T, T2, add_sat, T::from(__saturatef((float)a + (float)b)))                       \
    CUDA_SHIM_NARROW_BINARY(T, T2, sub_sat, T::from(__saturatef((float)a - (float)b)))                       \
    CUDA_SHIM_NARROW_BINARY(T, T2, mul_sat, T::from(__saturatef((float)a * (float)b)))                       \
    CUDA_SHIM_NARROW_BINARY(T, T2, min, T::from(__builtin_fminf(a, b)))                                      \
    CUDA_SHIM_NARROW_BINARY(T, T2, max, T::from(__builtin_fmaxf(a, b)))                                      \
    /* The product of two narrow numbers is exact in double, and so is nearly every sum with a third. */     \
    CUDA_SHIM_INLINE T __hfma(T a, T b, T c) { return T::from((double)(float)a * (float)b + (float)c); }     \
    CUDA_SHIM_INLINE T2 __hfma2(T2 a, T2 b, T2 c) { return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
    CUDA_SHIM_INLINE T __hneg(T a) { return -a; }                                                            \
    CUDA_SHIM_INLINE T2 __hneg2(T2 a) { return -a; }                                                         \
    CUDA_SHIM_INLINE T __habs(T a) { return T::from(__builtin_fabsf(a)); }                                   \
    CUDA_SHIM_INLINE T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                               \
    CUDA_SHIM_INLINE bool __hisnan(T a) { return __builtin_isnan((float)a); }                                \
    CUDA_SHIM_INLINE int __hisinf(T a) { return __builtin_isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }   \
    CUDA_SHIM_NARROW_MATH(T, T2, sqrt, __builtin_sqrtf(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, rsqrt, 1.0f / __builtin_sqrtf(x))                                           \
    CUDA_SHIM_NARROW_MATH(T, T2, rcp, 1.0f / x)                                                              \
    CUDA_SHIM_NARROW_MATH(T, T2, exp, __builtin_expf(x))                                                     \
    CUDA_SHIM_NARROW_MATH(T, T2, exp2, __builtin_exp2f(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, exp10, cuda_shim_exp10f(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, log, __builtin_logf(x))                                                     \
    CUDA_SHIM_NARROW_MATH(T, T2, log2, __builtin_log2f(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, log10, __builtin_log10f(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, sin, __builtin_sinf(x))                                                     \
    CUDA_SHIM_NARROW_MATH(T, T2, cos, __builtin_cosf(x))                                                     \
    CUDA_SHIM_NARROW_MATH(T, T2, tanh, __builtin_tanhf(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, floor, __builtin_floorf(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, ceil, __builtin_ceilf(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, trunc, __builtin_truncf(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, rint, __builtin_rintf(x))                                                   \
    CUDA_SHIM_INLINE T atomicAdd(T* p, T v) { return cuda_shim_atomic_update(p, [=](T old) { return old + v; }); } \
    CUDA_SHIM_INLINE T2 atomicAdd(T2* p, T2 v) { return T2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); }

#define CUDA_SHIM_NARROW_MEMBER __attribute__((always_inline))
// Construction from each arithmetic type: a converting constructor from a template would make calls ambiguous.
#define CUDA_SHIM_NARROW_CONVERSIONS(T)                                          \
    T() = default;                                                               \
    CUDA_SHIM_NARROW_MEMBER T(float x) { *this = from(x); }                      \
    CUDA_SHIM_NARROW_MEMBER T(double x) { *this = from(x); }                     \
    CUDA_SHIM_NARROW_MEMBER T(int x) { *this = from((double)x); }                \
    CUDA_SHIM_NARROW_MEMBER T(unsigned int x) { *this = from((double)x); }       \
    CUDA_SHIM_NARROW_MEMBER T(short x) { *this = from((double)x); }              \
    CUDA_SHIM_NARROW_MEMBER T(unsigned short x) { *this = from((double)x); }     \
    CUDA_SHIM_NARROW_MEMBER T(long long x) { *this = from((double)x); }          \
    CUDA_SHIM_NARROW_MEMBER T(unsigned long long x) { *this = from((double)x); }
// Mixed operands: the scalar becomes narrow first, as CUDA's converting constructors do it.
#define CUDA_SHIM_NARROW_MIXED(T, S, op)                                         \
    CUDA_SHIM_INLINE T operator op(T a, S b) { return a op T(b); }               \
    CUDA_SHIM_INLINE T operator op(S a, T b) { return T(a) op b; }
