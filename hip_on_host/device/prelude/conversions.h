// Conversions between numbers with a rounding mode, and between numbers and their bits.
// CUDA's conversions to integers saturate, and turn a NaN into zero, or into the highest bit alone where either side has
// 64 bits.
#pragma once

template <class Integer, class From = float> CUDA_SHIM_INLINE Integer cuda_shim_saturate(double x) {
    constexpr bool is_signed = (Integer)-1 < 0;
    constexpr int bits = sizeof(Integer) * 8 - (is_signed ? 1 : 0);
    constexpr Integer most = (Integer)(~(unsigned long long)0 >> (64 - bits));
    constexpr bool is_wide = sizeof(Integer) == 8 || sizeof(From) == 8;
    constexpr Integer none = is_wide ? (Integer)((unsigned long long)1 << (sizeof(Integer) * 8 - 1)) : 0;
    if (x != x) return none;
    if (x >= (double)most) return most;
    if (x <= (is_signed ? -(double)most - 1 : 0.0)) return is_signed ? (Integer)(-most - 1) : 0;
    return (Integer)x;
}
#define CUDA_SHIM_TO_INTEGER(from, from_type, to, to_type)                                                          \
    CUDA_SHIM_INLINE to_type __##from##2##to##_rn(from_type x) { return cuda_shim_saturate<to_type, from_type>(__builtin_rint((double)x)); }  \
    CUDA_SHIM_INLINE to_type __##from##2##to##_rz(from_type x) { return cuda_shim_saturate<to_type, from_type>(__builtin_trunc((double)x)); } \
    CUDA_SHIM_INLINE to_type __##from##2##to##_rd(from_type x) { return cuda_shim_saturate<to_type, from_type>(__builtin_floor((double)x)); } \
    CUDA_SHIM_INLINE to_type __##from##2##to##_ru(from_type x) { return cuda_shim_saturate<to_type, from_type>(__builtin_ceil((double)x)); }
CUDA_SHIM_TO_INTEGER(float, float, int, int)
CUDA_SHIM_TO_INTEGER(float, float, uint, unsigned int)
CUDA_SHIM_TO_INTEGER(float, float, ll, long long)
CUDA_SHIM_TO_INTEGER(float, float, ull, unsigned long long)
CUDA_SHIM_TO_INTEGER(double, double, int, int)
CUDA_SHIM_TO_INTEGER(double, double, uint, unsigned int)
CUDA_SHIM_TO_INTEGER(double, double, ll, long long)
CUDA_SHIM_TO_INTEGER(double, double, ull, unsigned long long)

// The conversion (To)x of the program's own text, where it is none of a constant: branchless, for loops over threads.
template <class To, class From> CUDA_SHIM_INLINE To cuda_shim_nearest_integer(From x) {
#ifdef CUDA_SHIM_CLANG
    return (To)x;
#else
    constexpr bool is_signed = (To)-1 < 0;
    constexpr From beyond = (From)((unsigned long long)1 << (sizeof(To) * 8 - 1)) * (is_signed ? 1 : 2);
    constexpr To most = (To)(~(unsigned long long)0 >> (64 - sizeof(To) * 8 + (is_signed ? 1 : 0)));
    constexpr To least = is_signed ? (To)((unsigned long long)1 << (sizeof(To) * 8 - 1)) : 0;
    To result = (To)x;
    result = x >= beyond ? most : result;
    result = x < (is_signed ? -beyond : (From)0) ? least : result;
    return result;
#endif
}
// An integer type of at most 64 bits, as the conversion needs it: narrow ones are the low bits of one of 32.
template <class T> struct cuda_shim_integer { static constexpr bool is_one = false; };
#define CUDA_SHIM_INTEGER(type, wide) \
    template <> struct cuda_shim_integer<type> { static constexpr bool is_one = true; typedef wide of_32_bits; };
CUDA_SHIM_INTEGER(char, int)
CUDA_SHIM_INTEGER(signed char, int)
CUDA_SHIM_INTEGER(unsigned char, unsigned int)
CUDA_SHIM_INTEGER(short, int)
CUDA_SHIM_INTEGER(unsigned short, unsigned int)
CUDA_SHIM_INTEGER(char16_t, unsigned int)
CUDA_SHIM_INTEGER(char32_t, char32_t)
CUDA_SHIM_INTEGER(wchar_t, wchar_t)
CUDA_SHIM_INTEGER(int, int)
CUDA_SHIM_INTEGER(unsigned int, unsigned int)
CUDA_SHIM_INTEGER(long, long)
CUDA_SHIM_INTEGER(unsigned long, unsigned long)
CUDA_SHIM_INTEGER(long long, long long)
CUDA_SHIM_INTEGER(unsigned long long, unsigned long long)
#undef CUDA_SHIM_INTEGER
template <class T> struct cuda_shim_is_float { static constexpr bool is_one = false; };
template <> struct cuda_shim_is_float<float> { static constexpr bool is_one = true; };
template <> struct cuda_shim_is_float<double> { static constexpr bool is_one = true; };
template <class T> struct cuda_shim_plain_type { typedef T type; };
template <class T> struct cuda_shim_plain_type<T&> : cuda_shim_plain_type<T> {};
template <class T> struct cuda_shim_plain_type<T&&> : cuda_shim_plain_type<T> {};
template <class T> struct cuda_shim_plain_type<const T> : cuda_shim_plain_type<T> {};
template <class T> struct cuda_shim_plain_type<volatile T> : cuda_shim_plain_type<T> {};
template <class T> struct cuda_shim_plain_type<const volatile T> : cuda_shim_plain_type<T> {};
// The compiler of kernels writes it around what a program converts (prepare/float_conversions.h). In an instance of a
// template that converts something else, that stays as it is.
template <class To, class From>
__attribute__((always_inline)) constexpr decltype(auto) cuda_shim_to_integer(From&& x) {
    typedef typename cuda_shim_plain_type<To>::type Integer;
    typedef typename cuda_shim_plain_type<From>::type Float;
    if constexpr (cuda_shim_integer<Integer>::is_one && cuda_shim_is_float<Float>::is_one) {
        typedef typename cuda_shim_integer<Integer>::of_32_bits Wide;
        const Float value = x;
        if (__builtin_is_constant_evaluated()) return (Integer)(Wide)value;
        const Wide nearest = cuda_shim_nearest_integer<Wide>(value);
        constexpr bool has_mark = sizeof(Wide) == 8 || (sizeof(Float) == 8 && sizeof(Integer) == 4);
        constexpr Integer of_nan = has_mark ? (Integer)((unsigned long long)1 << (sizeof(Wide) * 8 - 1)) : (Integer)0;
#ifdef CUDA_SHIM_CLANG
        if constexpr (!has_mark) return (Integer)nearest;
#endif
        return value == value ? (Integer)nearest : of_nan;
    } else {
        return static_cast<From&&>(x);
    }
}

#ifndef CUDA_SHIM_STANDARD_HEADERS
#define CUDA_SHIM_TO_NEAREST(type, name, result, from)                                               \
    CUDA_SHIM_INLINE result name##rint(type x) { return from##_rn(x); }                              \
    CUDA_SHIM_INLINE result name##round(type x) { return from##_rz((type)__builtin_round((double)x)); }
CUDA_SHIM_TO_NEAREST(double, l, long, __double2ll)
CUDA_SHIM_TO_NEAREST(float, l, long, __float2ll)
CUDA_SHIM_TO_NEAREST(double, ll, long long, __double2ll)
CUDA_SHIM_TO_NEAREST(float, ll, long long, __float2ll)
CUDA_SHIM_INLINE long lrintf(float x) { return lrint(x); }
CUDA_SHIM_INLINE long lroundf(float x) { return lround(x); }
CUDA_SHIM_INLINE long long llrintf(float x) { return llrint(x); }
CUDA_SHIM_INLINE long long llroundf(float x) { return llround(x); }
#endif

// Conversions from integers, and from double to float: nearest by the host, the directed modes by the neighbour if the
// exact value is on the other side (by a comparison in long double).
template <class To, class From> CUDA_SHIM_INLINE int cuda_shim_side(From exact, To rounded) {
    const long double a = (long double)exact, b = (long double)rounded;
    return a > b ? 1 : a < b ? -1 : 0;
}
#define CUDA_SHIM_FROM(from, from_type, to, to_type)                                                                 \
    CUDA_SHIM_INLINE to_type __##from##2##to##_rn(from_type x) { return (to_type)x; }                                \
    CUDA_SHIM_INLINE to_type __##from##2##to##_ru(from_type x) { to_type r = (to_type)x; return cuda_shim_up(r, (to_type)cuda_shim_side(x, r)); } \
    CUDA_SHIM_INLINE to_type __##from##2##to##_rd(from_type x) { to_type r = (to_type)x; return cuda_shim_down(r, (to_type)cuda_shim_side(x, r)); } \
    CUDA_SHIM_INLINE to_type __##from##2##to##_rz(from_type x) { to_type r = (to_type)x; return cuda_shim_towards_zero(r, (to_type)cuda_shim_side(x, r)); }
CUDA_SHIM_FROM(int, int, float, float)
CUDA_SHIM_FROM(uint, unsigned int, float, float)
CUDA_SHIM_FROM(ll, long long, float, float)
CUDA_SHIM_FROM(ull, unsigned long long, float, float)
CUDA_SHIM_FROM(ll, long long, double, double)
CUDA_SHIM_FROM(ull, unsigned long long, double, double)
CUDA_SHIM_FROM(double, double, float, float)
CUDA_SHIM_INLINE double __int2double_rn(int x) { return x; }
CUDA_SHIM_INLINE double __uint2double_rn(unsigned int x) { return x; }

CUDA_SHIM_INLINE int __float_as_int(float x) { return cuda_shim_bits<int>(x); }
CUDA_SHIM_INLINE unsigned int __float_as_uint(float x) { return cuda_shim_bits<unsigned int>(x); }
CUDA_SHIM_INLINE float __int_as_float(int x) { return cuda_shim_bits<float>(x); }
CUDA_SHIM_INLINE float __uint_as_float(unsigned int x) { return cuda_shim_bits<float>(x); }
CUDA_SHIM_INLINE long long __double_as_longlong(double x) { return cuda_shim_bits<long long>(x); }
CUDA_SHIM_INLINE double __longlong_as_double(long long x) { return cuda_shim_bits<double>(x); }
CUDA_SHIM_INLINE int __double2hiint(double x) { return (int)(cuda_shim_bits<unsigned long long>(x) >> 32); }
CUDA_SHIM_INLINE int __double2loint(double x) { return (int)cuda_shim_bits<unsigned long long>(x); }
CUDA_SHIM_INLINE double __hiloint2double(int high, int low) {
    return cuda_shim_bits<double>(((unsigned long long)(unsigned int)high << 32) | (unsigned int)low);
}
