// The common part of half and bfloat16: arithmetic in float, rounded to the narrow type after every operation (which
// for + - * / gives the correctly rounded narrow result), and CUDA's names for it, one by one and in pairs.
#pragma once

#define CUDA_SHIM_NARROW_MEMBER __attribute__((always_inline))
// Construction from each arithmetic type: a converting constructor from a template would make calls ambiguous. The
// conversions to whole numbers are CUDA's, which saturate; explicit ones, so that conversions without a cast go by
// float and no operator is ambiguous.
#define CUDA_SHIM_NARROW_TO(S)                                                   \
    CUDA_SHIM_NARROW_MEMBER explicit operator S() const { return cuda_shim_saturate<S>((double)(float)*this); }
#define CUDA_SHIM_NARROW_CONVERSIONS(T)                                          \
    T() = default;                                                               \
    CUDA_SHIM_NARROW_MEMBER explicit operator bool() const { return (float)*this != 0; } \
    CUDA_SHIM_NARROW_TO(char)                                                    \
    CUDA_SHIM_NARROW_TO(signed char)                                             \
    CUDA_SHIM_NARROW_TO(unsigned char)                                           \
    CUDA_SHIM_NARROW_TO(short)                                                   \
    CUDA_SHIM_NARROW_TO(unsigned short)                                          \
    CUDA_SHIM_NARROW_TO(int)                                                     \
    CUDA_SHIM_NARROW_TO(unsigned int)                                            \
    CUDA_SHIM_NARROW_TO(long)                                                    \
    CUDA_SHIM_NARROW_TO(unsigned long)                                           \
    CUDA_SHIM_NARROW_TO(long long)                                               \
    CUDA_SHIM_NARROW_TO(unsigned long long)                                      \
    CUDA_SHIM_NARROW_MEMBER T(float x) { *this = from(x); }                      \
    CUDA_SHIM_NARROW_MEMBER T(double x) { *this = from(x); }                     \
    CUDA_SHIM_NARROW_MEMBER T(int x) { *this = from((double)x); }                \
    CUDA_SHIM_NARROW_MEMBER T(unsigned int x) { *this = from((double)x); }       \
    CUDA_SHIM_NARROW_MEMBER T(long x) { *this = from(cuda_shim_to_odd((long long)x)); } \
    CUDA_SHIM_NARROW_MEMBER T(unsigned long x) { *this = from(cuda_shim_to_odd((unsigned long long)x)); } \
    CUDA_SHIM_NARROW_MEMBER T(short x) { *this = from((double)x); }              \
    CUDA_SHIM_NARROW_MEMBER T(unsigned short x) { *this = from((double)x); }     \
    CUDA_SHIM_NARROW_MEMBER T(long long x) { *this = from(cuda_shim_to_odd(x)); } \
    CUDA_SHIM_NARROW_MEMBER T(unsigned long long x) { *this = from(cuda_shim_to_odd(x)); }
// Mixed operands: the scalar becomes narrow first, as CUDA's converting constructors do it.
#define CUDA_SHIM_NARROW_MIXED(T, S, op)                                         \
    CUDA_SHIM_INLINE T operator op(T a, S b) { return a op T(b); }               \
    CUDA_SHIM_INLINE T operator op(S a, T b) { return T(a) op b; }

// A double for a number of more bits, such that rounding it again is rounding once: if bits are lost, the last bit that
// stays is set.
CUDA_SHIM_INLINE double cuda_shim_to_odd(unsigned long long x) {
    return (double)(x >> 53 ? (x & ~0xfffull) | ((x & 0xfff) ? 0x800 : 0) : x);
}
CUDA_SHIM_INLINE double cuda_shim_to_odd(long long x) {
    return x < 0 ? -cuda_shim_to_odd(0 - (unsigned long long)x) : cuda_shim_to_odd((unsigned long long)x);
}
CUDA_SHIM_INLINE double cuda_shim_to_odd(double nearest, double error) {
    const unsigned long long bits = cuda_shim_bits<unsigned long long>(nearest);
    if (error == 0 || error != error || (bits & 1)) return nearest;
    return cuda_shim_bits<double>(bits + ((error > 0) == (nearest > 0) ? 1ull : ~0ull));
}
// The directed roundings: the neighbour, where rounding to nearest went the other way. Numbers of one sign are ordered as
// their bits.
template <class T> CUDA_SHIM_INLINE T cuda_shim_narrow_step(T value, int direction) {
    const unsigned short bits = cuda_shim_bits<unsigned short>(value);
    if ((bits & 0x7fff) == 0) return T::from_bits(direction > 0 ? 0x0001 : 0x8001);
    return T::from_bits((unsigned short)(bits + ((bits & 0x8000) ? -direction : direction)));
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_narrow_up(double exact) {
    const T nearest = T::from(exact);
    return (double)(float)nearest < exact ? cuda_shim_narrow_step(nearest, 1) : nearest;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_narrow_down(double exact) {
    const T nearest = T::from(exact);
    return (double)(float)nearest > exact ? cuda_shim_narrow_step(nearest, -1) : nearest;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_narrow_towards_zero(double exact) {
    return exact > 0 ? cuda_shim_narrow_down<T>(exact) : cuda_shim_narrow_up<T>(exact);
}

// The smaller and the larger of two numbers, or the one that is not a NaN; a negative zero is below a positive one.
CUDA_SHIM_INLINE float cuda_shim_narrow_min(float a, float b) {
    return a == b ? (__builtin_signbit(a) ? a : b) : a < b || b != b ? a : b;
}
CUDA_SHIM_INLINE float cuda_shim_narrow_max(float a, float b) {
    return a == b ? (__builtin_signbit(a) ? b : a) : a > b || b != b ? a : b;
}
CUDA_SHIM_INLINE float cuda_shim_nan_or(float a, float b, float otherwise) { return a != a || b != b ? __builtin_nanf("") : otherwise; }
// Negative numbers become zero.
CUDA_SHIM_INLINE float cuda_shim_relu(float x) { return x != x ? x : x > 0.0f ? x : 0.0f; }

// T: the type, with members from(double) and operator float. T2: a pair of them.
#define CUDA_SHIM_NARROW_OPERATOR(T, T2, op)                                                                 \
    CUDA_SHIM_INLINE T operator op(T a, T b) { return T::from((float)a op(float) b); }                       \
    CUDA_SHIM_INLINE T& operator op##=(T& a, T b) { return a = a op b; }                                     \
    CUDA_SHIM_INLINE T2 operator op(T2 a, T2 b) { return T2(a.x op b.x, a.y op b.y); }                       \
    CUDA_SHIM_INLINE T2& operator op##=(T2& a, T2 b) { return a = a op b; }
// Each with all forms of its name: one pair or two results, both true, and masks of bits.
#define CUDA_SHIM_NARROW_TEST(T, T2, name, expression)                                                       \
    CUDA_SHIM_INLINE bool __h##name(T p, T q) {                                                              \
        const float a = p, b = q;                                                                            \
        return expression;                                                                                   \
    }                                                                                                        \
    CUDA_SHIM_INLINE bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }   \
    CUDA_SHIM_INLINE T2 __h##name##2(T2 a, T2 b) {                                                           \
        return T2(T::from(__h##name(a.x, b.x)), T::from(__h##name(a.y, b.y)));                               \
    }                                                                                                        \
    CUDA_SHIM_INLINE unsigned int __h##name##2_mask(T2 a, T2 b) {                                            \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);              \
    }
// The ordered ones are false of a NaN, the unordered ones, with a u behind, true.
#define CUDA_SHIM_NARROW_COMPARISON(T, T2, op, name)                                                         \
    CUDA_SHIM_NARROW_TEST(T, T2, name, a == a && b == b && a op b)                                           \
    CUDA_SHIM_NARROW_TEST(T, T2, name##u, a != a || b != b || a op b)                                        \
    CUDA_SHIM_INLINE bool operator op(T a, T b) { return (float)a op(float) b; }                             \
    CUDA_SHIM_INLINE bool operator op(T2 a, T2 b) { return a.x op b.x && a.y op b.y; }
// `suffix` stands behind the 2 of a pair's function.
#define CUDA_SHIM_NARROW_BINARY(T, T2, name, suffix, expression)                                             \
    CUDA_SHIM_INLINE T __h##name##suffix(T p, T q) {                                                         \
        const float a = p, b = q;                                                                            \
        return T::from(expression);                                                                          \
    }                                                                                                        \
    CUDA_SHIM_INLINE T2 __h##name##2##suffix(T2 a, T2 b) {                                                   \
        return T2(__h##name##suffix(a.x, b.x), __h##name##suffix(a.y, b.y));                                 \
    }
#define CUDA_SHIM_NARROW_FUSED(T, T2, suffix, expression)                                                    \
    CUDA_SHIM_INLINE T __hfma##suffix(T a, T b, T c) {                                                       \
        const T fused = T::fused(a, b, c);                                                                   \
        return expression;                                                                                   \
    }                                                                                                        \
    CUDA_SHIM_INLINE T2 __hfma2##suffix(T2 a, T2 b, T2 c) {                                                  \
        return T2(__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y));                             \
    }
#define CUDA_SHIM_NARROW_MATH(T, T2, name, expression)                                                       \
    CUDA_SHIM_INLINE T h##name(T h) { const float x = h; return T::from(expression); }                       \
    CUDA_SHIM_INLINE T2 h2##name(T2 h) { return T2(h##name(h.x), h##name(h.y)); }
#define CUDA_SHIM_NARROW_STEP(T, T2, op)                                                                     \
    CUDA_SHIM_INLINE T& operator op##op(T& a) { return a = a op T(1); }                                      \
    CUDA_SHIM_INLINE T operator op##op(T& a, int) { const T before = a; a = a op T(1); return before; }      \
    CUDA_SHIM_INLINE T2& operator op##op(T2& a) { return a = T2(a.x op T(1), a.y op T(1)); }                 \
    CUDA_SHIM_INLINE T2 operator op##op(T2& a, int) { const T2 before = a; op##op a; return before; }

#define CUDA_SHIM_NARROW_FLOAT(T, T2, RAW)                                                                   \
    struct CUDA_SHIM_ALIGNED(4) T2 {                                                                         \
        T x, y;                                                                                              \
        T2() = default;                                                                                      \
        CUDA_SHIM_NARROW_MEMBER constexpr T2(const T& a, const T& b) : x(a), y(b) {}                         \
        CUDA_SHIM_NARROW_MEMBER constexpr T2(const RAW& raw) : x(T::from_bits(raw.x)), y(T::from_bits(raw.y)) {} \
        CUDA_SHIM_NARROW_MEMBER constexpr operator RAW() const { return RAW{x.__x, y.__x}; }                 \
    };                                                                                                       \
    CUDA_SHIM_NUMBER(T)                                                                                      \
    CUDA_SHIM_NUMBER(T2)                                                                                     \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, +)                                                                      \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, -)                                                                      \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, *)                                                                      \
    CUDA_SHIM_NARROW_OPERATOR(T, T2, /)                                                                      \
    CUDA_SHIM_NARROW_STEP(T, T2, +)                                                                          \
    CUDA_SHIM_NARROW_STEP(T, T2, -)                                                                          \
    CUDA_SHIM_INLINE T operator-(T a) { return T::from(-(float)a); }                                         \
    CUDA_SHIM_INLINE T2 operator-(T2 a) { return T2(-a.x, -a.y); }                                           \
    CUDA_SHIM_INLINE T operator+(T a) { return a; }                                                          \
    CUDA_SHIM_INLINE T2 operator+(T2 a) { return a; }                                                        \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, ==, eq)                                                               \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, !=, ne)                                                               \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, <, lt)                                                                \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, <=, le)                                                               \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, >, gt)                                                                \
    CUDA_SHIM_NARROW_COMPARISON(T, T2, >=, ge)                                                               \
    CUDA_SHIM_NARROW_BINARY(T, T2, add, , a + b)                                                             \
    CUDA_SHIM_NARROW_BINARY(T, T2, sub, , a - b)                                                             \
    CUDA_SHIM_NARROW_BINARY(T, T2, mul, , a * b)                                                             \
    CUDA_SHIM_NARROW_BINARY(T, T2, add, _rn, a + b)                                                          \
    CUDA_SHIM_NARROW_BINARY(T, T2, sub, _rn, a - b)                                                          \
    CUDA_SHIM_NARROW_BINARY(T, T2, mul, _rn, a * b)                                                          \
    CUDA_SHIM_NARROW_BINARY(T, T2, add, _sat, __saturatef(a + b))                                            \
    CUDA_SHIM_NARROW_BINARY(T, T2, sub, _sat, __saturatef(a - b))                                            \
    CUDA_SHIM_NARROW_BINARY(T, T2, mul, _sat, __saturatef(a * b))                                            \
    CUDA_SHIM_NARROW_BINARY(T, T2, min, , cuda_shim_narrow_min(a, b))                                        \
    CUDA_SHIM_NARROW_BINARY(T, T2, max, , cuda_shim_narrow_max(a, b))                                        \
    CUDA_SHIM_NARROW_BINARY(T, T2, min, _nan, cuda_shim_nan_or(a, b, cuda_shim_narrow_min(a, b)))            \
    CUDA_SHIM_NARROW_BINARY(T, T2, max, _nan, cuda_shim_nan_or(a, b, cuda_shim_narrow_max(a, b)))            \
    CUDA_SHIM_INLINE T __hdiv(T a, T b) { return a / b; }                                                    \
    CUDA_SHIM_INLINE T2 __h2div(T2 a, T2 b) { return a / b; }                                                \
    CUDA_SHIM_NARROW_FUSED(T, T2, , fused)                                                                   \
    CUDA_SHIM_NARROW_FUSED(T, T2, _sat, T::from(__saturatef(fused)))                                         \
    CUDA_SHIM_NARROW_FUSED(T, T2, _relu, T::from(cuda_shim_relu(fused)))                                     \
    /* a times b plus c of complex numbers, each part in two fused steps. */                                 \
    CUDA_SHIM_INLINE T2 __hcmadd(T2 a, T2 b, T2 c) {                                                         \
        return T2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));        \
    }                                                                                                        \
    CUDA_SHIM_INLINE T __hneg(T a) { return -a; }                                                            \
    CUDA_SHIM_INLINE T2 __hneg2(T2 a) { return -a; }                                                         \
    CUDA_SHIM_INLINE T __habs(T a) { return T::from(__builtin_fabsf(a)); }                                   \
    CUDA_SHIM_INLINE T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                               \
    CUDA_SHIM_INLINE bool __hisnan(T a) { return __builtin_isnan((float)a); }                                \
    CUDA_SHIM_INLINE T2 __hisnan2(T2 a) { return T2(T::from(__hisnan(a.x)), T::from(__hisnan(a.y))); }       \
    CUDA_SHIM_INLINE int __hisinf(T a) { return __builtin_isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }   \
    CUDA_SHIM_NARROW_MATH(T, T2, sqrt, __builtin_sqrtf(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, rsqrt, 1.0f / __builtin_sqrtf(x))                                           \
    CUDA_SHIM_NARROW_MATH(T, T2, rcp, 1.0f / x)                                                              \
    CUDA_SHIM_NARROW_MATH(T, T2, exp, expf(x))                                                               \
    CUDA_SHIM_NARROW_MATH(T, T2, exp2, exp2f(x))                                                             \
    CUDA_SHIM_NARROW_MATH(T, T2, exp10, cuda_shim_exp10f(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, log, logf(x))                                                               \
    CUDA_SHIM_NARROW_MATH(T, T2, log2, log2f(x))                                                             \
    CUDA_SHIM_NARROW_MATH(T, T2, log10, log10f(x))                                                           \
    CUDA_SHIM_NARROW_MATH(T, T2, sin, sinf(x))                                                               \
    CUDA_SHIM_NARROW_MATH(T, T2, cos, cosf(x))                                                               \
    CUDA_SHIM_NARROW_MATH(T, T2, tanh, tanhf(x))                                                             \
    CUDA_SHIM_NARROW_MATH(T, T2, tanh_approx, tanhf(x))                                                      \
    CUDA_SHIM_NARROW_MATH(T, T2, floor, __builtin_floorf(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, ceil, __builtin_ceilf(x))                                                   \
    CUDA_SHIM_NARROW_MATH(T, T2, trunc, __builtin_truncf(x))                                                 \
    CUDA_SHIM_NARROW_MATH(T, T2, rint, __builtin_rintf(x))                                                   \
    CUDA_SHIM_INLINE T atomicAdd(T* p, T v) { return cuda_shim_atomic_update(p, [=](T old) { return old + v; }); } \
    CUDA_SHIM_INLINE T2 atomicAdd(T2* p, T2 v) { return T2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); }

// Conversions with a rounding mode. `name` is the type's in their names, `half` or `bfloat16`.
#define CUDA_SHIM_NARROW_INTEGER(T, name, S, sname)                                                          \
    CUDA_SHIM_INLINE T __##sname##2##name##_rn(S x) { return T::from(cuda_shim_exact(x)); }                  \
    CUDA_SHIM_INLINE T __##sname##2##name##_rz(S x) { return cuda_shim_narrow_towards_zero<T>(cuda_shim_exact(x)); } \
    CUDA_SHIM_INLINE T __##sname##2##name##_rd(S x) { return cuda_shim_narrow_down<T>(cuda_shim_exact(x)); } \
    CUDA_SHIM_INLINE T __##sname##2##name##_ru(S x) { return cuda_shim_narrow_up<T>(cuda_shim_exact(x)); }   \
    CUDA_SHIM_INLINE S __##name##2##sname##_rn(T h) { return cuda_shim_saturate<S>(__builtin_rint((double)(float)h)); }  \
    CUDA_SHIM_INLINE S __##name##2##sname##_rz(T h) { return cuda_shim_saturate<S>(__builtin_trunc((double)(float)h)); } \
    CUDA_SHIM_INLINE S __##name##2##sname##_rd(T h) { return cuda_shim_saturate<S>(__builtin_floor((double)(float)h)); } \
    CUDA_SHIM_INLINE S __##name##2##sname##_ru(T h) { return cuda_shim_saturate<S>(__builtin_ceil((double)(float)h)); }
#define CUDA_SHIM_NARROW_ROUNDINGS(T, name)                                                                  \
    CUDA_SHIM_INLINE T __float2##name(float x) { return T::from(x); }                                        \
    CUDA_SHIM_INLINE T __float2##name##_rn(float x) { return T::from(x); }                                   \
    CUDA_SHIM_INLINE T __float2##name##_rz(float x) { return cuda_shim_narrow_towards_zero<T>(x); }          \
    CUDA_SHIM_INLINE T __float2##name##_rd(float x) { return cuda_shim_narrow_down<T>(x); }                  \
    CUDA_SHIM_INLINE T __float2##name##_ru(float x) { return cuda_shim_narrow_up<T>(x); }                    \
    CUDA_SHIM_INLINE T __double2##name(double x) { return T::from(x); }                                      \
    CUDA_SHIM_INLINE signed char __##name##2char_rz(T h) { return cuda_shim_saturate<signed char>((double)(float)h); }        \
    CUDA_SHIM_INLINE unsigned char __##name##2uchar_rz(T h) { return cuda_shim_saturate<unsigned char>((double)(float)h); }   \
    CUDA_SHIM_NARROW_INTEGER(T, name, int, int)                                                              \
    CUDA_SHIM_NARROW_INTEGER(T, name, unsigned int, uint)                                                    \
    CUDA_SHIM_NARROW_INTEGER(T, name, short, short)                                                          \
    CUDA_SHIM_NARROW_INTEGER(T, name, unsigned short, ushort)                                                \
    CUDA_SHIM_NARROW_INTEGER(T, name, long long, ll)                                                         \
    CUDA_SHIM_NARROW_INTEGER(T, name, unsigned long long, ull)
template <class S> CUDA_SHIM_INLINE double cuda_shim_exact(S x) {
    if constexpr (sizeof(S) == 8) return cuda_shim_to_odd(x);
    else return (double)x;
}

// Pairs and their parts. `single` and `pair` are the types' in the names, `wide` the one of a pair of floats.
#define CUDA_SHIM_NARROW_PAIRS(T, T2, single, pair)                                                          \
    CUDA_SHIM_INLINE T2 __floats2##pair##_rn(float x, float y) { return T2(T::from(x), T::from(y)); }        \
    CUDA_SHIM_INLINE T2 __float2##pair##_rn(float x) { return T2(T::from(x), T::from(x)); }                  \
    CUDA_SHIM_INLINE T2 __float22##pair##_rn(float2 v) { return T2(T::from(v.x), T::from(v.y)); }            \
    CUDA_SHIM_INLINE float2 __##pair##2float2(T2 h) { return make_float2(h.x, h.y); }                        \
    CUDA_SHIM_INLINE float __low2float(T2 h) { return h.x; }                                                 \
    CUDA_SHIM_INLINE float __high2float(T2 h) { return h.y; }                                                \
    CUDA_SHIM_INLINE T __low2##single(T2 h) { return h.x; }                                                  \
    CUDA_SHIM_INLINE T __high2##single(T2 h) { return h.y; }                                                 \
    CUDA_SHIM_INLINE T2 __halves2##pair(T x, T y) { return T2(x, y); }                                       \
    CUDA_SHIM_INLINE T2 make_##pair(T x, T y) { return T2(x, y); }                                           \
    CUDA_SHIM_INLINE T2 __##single##2##pair(T h) { return T2(h, h); }                                        \
    CUDA_SHIM_INLINE T2 __low2##pair(T2 h) { return T2(h.x, h.x); }                                          \
    CUDA_SHIM_INLINE T2 __high2##pair(T2 h) { return T2(h.y, h.y); }                                         \
    CUDA_SHIM_INLINE T2 __lows2##pair(T2 a, T2 b) { return T2(a.x, b.x); }                                   \
    CUDA_SHIM_INLINE T2 __highs2##pair(T2 a, T2 b) { return T2(a.y, b.y); }                                  \
    CUDA_SHIM_INLINE T2 __lowhigh2highlow(T2 h) { return T2(h.y, h.x); }                                     \
    CUDA_SHIM_INLINE unsigned short __##single##_as_ushort(T h) { return cuda_shim_bits<unsigned short>(h); } \
    CUDA_SHIM_INLINE short __##single##_as_short(T h) { return cuda_shim_bits<short>(h); }                   \
    CUDA_SHIM_INLINE T __ushort_as_##single(unsigned short bits) { return T::from_bits(bits); }              \
    CUDA_SHIM_INLINE T __short_as_##single(short bits) { return T::from_bits((unsigned short)bits); }
