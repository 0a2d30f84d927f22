// PTX's conversions, half precision and bfloat16, pairs in one register, carries, and dot products.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx.h>

namespace cuda_shim_ptx {

// Conversions to the nearest number of a type, ties to even.
template <class To> struct to {
    template <class From> CUDA_SHIM_PTX_MEMBER static To from(From value) { return (To)value; }
};
template <> struct to<bfloat> {
    CUDA_SHIM_PTX_MEMBER static bfloat from(float value) {
        const unsigned wide = as<unsigned>(value);
        return bfloat{(unsigned short)(value != value ? 0x7fff : (wide + 0x7fffu + ((wide >> 16) & 1)) >> 16)};
    }
    // The first rounding is to odd, so that the second one is correct (no double rounding).
    CUDA_SHIM_PTX_MEMBER static bfloat from(double value) {
        float near = (float)value;
        if ((double)near != value && value == value && !(as<unsigned>(near) & 1)) {
            const bool away = __builtin_fabs((double)near) < __builtin_fabs(value);
            near = as<float>(as<unsigned>(near) + (away ? 1u : ~0u));
        }
        return from(near);
    }
    CUDA_SHIM_PTX_MEMBER static bfloat from(bfloat value) { return value; }
    CUDA_SHIM_PTX_MEMBER static bfloat from(_Float16 value) { return from((float)value); }
    CUDA_SHIM_PTX_MEMBER static bfloat from(unsigned long long value) {
        return from((double)(value >> 53 ? (value & ~0xfffull) | ((value & 0xfff) ? 0x800 : 0) : value));
    }
    CUDA_SHIM_PTX_MEMBER static bfloat from(long long value) {
        if (value >= 0) return from((unsigned long long)value);
        return bfloat{(unsigned short)(from(0 - (unsigned long long)value).bits | 0x8000)};
    }
    template <class From> CUDA_SHIM_PTX_MEMBER static bfloat from(From value) { return from((double)value); }
};
template <> struct to<_Float16> {
    CUDA_SHIM_PTX_MEMBER static _Float16 from(bfloat value) { return (_Float16)(float)value; }
    template <class From> CUDA_SHIM_PTX_MEMBER static _Float16 from(From value) { return (_Float16)value; }
    // Larger numbers than a double holds exactly are infinite here.
    CUDA_SHIM_PTX_MEMBER static _Float16 from(long long value) { return (_Float16)(double)value; }
    CUDA_SHIM_PTX_MEMBER static _Float16 from(unsigned long long value) { return (_Float16)(double)value; }
    CUDA_SHIM_PTX_MEMBER static _Float16 from(int value) { return (_Float16)(double)value; }
    CUDA_SHIM_PTX_MEMBER static _Float16 from(unsigned value) { return (_Float16)(double)value; }
};
template <class To, class From> CUDA_SHIM_PTX To nearest(From value) { return to<To>::from(value); }

template <unsigned Size> struct word;
template <> struct word<2> { using type = unsigned short; };
template <> struct word<4> { using type = unsigned; };
template <> struct word<8> { using type = unsigned long long; };
// The next number above or below; never called beyond the infinities.
template <class T> CUDA_SHIM_PTX T neighbour(T value, bool up) {
    using Bits = typename word<sizeof(T)>::type;
    Bits bits;
    __builtin_memcpy(&bits, &value, sizeof(T));
    const Bits sign = (Bits)1 << (8 * sizeof(T) - 1);
    if ((Bits)(bits & ~sign) == 0) bits = up ? (Bits)1 : (Bits)(sign | 1);
    else bits = (Bits)(((bits & sign) != 0) == up ? bits - 1 : bits + 1);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
// The side of the exact number that the rounded one is on: -1 below, 1 above, 0 equal.
template <class Rounded> CUDA_SHIM_PTX int side(Rounded rounded, double exact) {
    return (double)rounded < exact ? -1 : (double)rounded > exact ? 1 : 0;
}
template <class Rounded> CUDA_SHIM_PTX int side(Rounded rounded, __int128 exact) {
    if ((double)rounded >= 0x1p100) return 1;
    const __int128 whole = (__int128)(double)rounded;
    return whole < exact ? -1 : whole > exact ? 1 : 0;
}
template <class T> CUDA_SHIM_PTX int side_of(T rounded, long long exact) { return side(rounded, (__int128)exact); }
template <class T> CUDA_SHIM_PTX int side_of(T rounded, unsigned long long exact) { return side(rounded, (__int128)exact); }
template <class T, class From> CUDA_SHIM_PTX int side_of(T rounded, From exact) { return side(rounded, (double)exact); }
template <class T> CUDA_SHIM_PTX bool below_zero(T value) { return value < (T)0; }
CUDA_SHIM_PTX bool below_zero(bfloat value) { return (float)value < 0.0f; }
// Towards zero (Mode 0), down (-1) or up (1).
template <class To, int Mode, class From> CUDA_SHIM_PTX To directed(From value) {
    const To rounded = nearest<To>(value);
    const int beside = side_of(rounded, value);
    const int wanted = Mode ? Mode : (below_zero(value) ? 1 : -1);
    return beside == 0 || beside == wanted ? rounded : neighbour(rounded, wanted > 0);
}

CUDA_SHIM_PTX float rint(float a) { return __builtin_rintf(a); }
CUDA_SHIM_PTX double rint(double a) { return __builtin_rint(a); }
CUDA_SHIM_PTX float trunc(float a) { return __builtin_truncf(a); }
CUDA_SHIM_PTX double trunc(double a) { return __builtin_trunc(a); }
CUDA_SHIM_PTX float floor(float a) { return __builtin_floorf(a); }
CUDA_SHIM_PTX double floor(double a) { return __builtin_floor(a); }
CUDA_SHIM_PTX float ceil(float a) { return __builtin_ceilf(a); }
CUDA_SHIM_PTX double ceil(double a) { return __builtin_ceil(a); }

// A whole number as the nearest integer of the type; a NaN becomes zero, or from or to 64 bits the highest bit alone.
template <bool Floating> struct integer_of {
    template <class T, class From> CUDA_SHIM_PTX_MEMBER static T from(From value) {
        constexpr bool with_sign = (T)-1 < 0;
        constexpr int bits = (int)sizeof(T) * 8 - (with_sign ? 1 : 0);
        constexpr T most = (T)(~0ull >> (64 - bits));
        const From above = (From)(bits == 64 ? 0x1p64 : (double)(1ull << (bits & 63)));
        if (value != value) return sizeof(T) == 8 || sizeof(From) == 8 ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
        if (value >= above) return most;
        if (value <= (with_sign ? -above : (From)0)) return with_sign ? (T)(-most - 1) : (T)0;
        return (T)value;
    }
};
template <> struct integer_of<true> {
    template <class T, class From> CUDA_SHIM_PTX_MEMBER static T from(From value) { return nearest<T>(value); }
};
template <class T> CUDA_SHIM_PTX T to_integer(float value) { return integer_of<floating<T>::value>::template from<T>(value); }
template <class T> CUDA_SHIM_PTX T to_integer(double value) { return integer_of<floating<T>::value>::template from<T>(value); }

// Kept within a type's range; of floating types, between 0 and 1, and a NaN is 0.
template <class T> CUDA_SHIM_PTX T saturated(T value) { return value > (T)0 ? (value < (T)1 ? value : (T)1) : (T)0; }
CUDA_SHIM_PTX bfloat saturated(bfloat value) { return nearest<bfloat>(saturated((float)value)); }
template <bool Floating> struct limit {
    template <class T> CUDA_SHIM_PTX_MEMBER static T of(__int128 value) {
        constexpr bool with_sign = (T)-1 < 0;
        constexpr __int128 most = (__int128)(~0ull >> (64 - ((int)sizeof(T) * 8 - (with_sign ? 1 : 0))));
        constexpr __int128 least = with_sign ? -most - 1 : 0;
        return (T)(value < least ? least : value > most ? most : value);
    }
};
template <> struct limit<true> {
    template <class T, class From> CUDA_SHIM_PTX_MEMBER static T of(From value) { return saturated(nearest<T>(value)); }
};
template <class T, class From> CUDA_SHIM_PTX T limited(From value) { return limit<floating<T>::value>::template of<T>(value); }

// .ftz: denormal numbers are zeros of their sign.
CUDA_SHIM_PTX float flushed(float value) {
    return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0.0f, value) : value;
}
CUDA_SHIM_PTX _Float16 flushed(_Float16 value) {
    const unsigned short bits = as<unsigned short>(value);
    return (bits & 0x7c00) ? value : as<_Float16>((unsigned short)(bits & 0x8000));
}
template <class T> CUDA_SHIM_PTX T flushed(T value) { return value; }

// Half precision and bfloat16: computed in float or double, rounded once.
#define CUDA_SHIM_PTX_NARROW(T, bits_of)                                                                                  \
    CUDA_SHIM_PTX T fma(T a, T b, T c) { return nearest<T>(exact_sum((double)(float)a * (double)(float)b, (double)(float)c)); } \
    CUDA_SHIM_PTX T absolute(T a) { return as<T>((unsigned short)(as<unsigned short>(a) & 0x7fff)); }                     \
    CUDA_SHIM_PTX T smaller(T a, T b) { return nearest<T>(smaller((float)a, (float)b)); }                                 \
    CUDA_SHIM_PTX T larger(T a, T b) { return nearest<T>(larger((float)a, (float)b)); }                                   \
    CUDA_SHIM_PTX T positive(T a) { return (float)a <= 0.0f ? nearest<T>(0.0f) : nearest<T>((float)a); }                  \
    CUDA_SHIM_PTX T rint(T a) { return nearest<T>(rint((float)a)); }                                                      \
    CUDA_SHIM_PTX T trunc(T a) { return nearest<T>(trunc((float)a)); }                                                    \
    CUDA_SHIM_PTX T floor(T a) { return nearest<T>(floor((float)a)); }                                                    \
    CUDA_SHIM_PTX T ceil(T a) { return nearest<T>(ceil((float)a)); }                                                      \
    CUDA_SHIM_PTX T exp2(T a) { return nearest<T>(exp2f((float)a)); }                                                     \
    CUDA_SHIM_PTX T tanh(T a) { return nearest<T>(tanhf((float)a)); }                                                     \
    template <class To> CUDA_SHIM_PTX To to_integer(T value) { return to_integer<To>((float)value); }
// A sum rounded to odd: the lost part decides if the rest is a tie between two narrow numbers.
CUDA_SHIM_PTX double exact_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a;
    const double lost = (a - (sum - of_b)) + (b - of_b);
    const unsigned long long bits = as<unsigned long long>(sum);
    if (lost == 0 || lost != lost || (bits & 1)) return sum;
    return as<double>(bits + ((lost > 0) == (sum > 0) ? 1ull : ~0ull));
}
CUDA_SHIM_PTX float exp2(float a) { return exp2f(a); }
CUDA_SHIM_PTX float tanh(float a) { return tanhf(a); }
CUDA_SHIM_PTX_NARROW(_Float16, bits)
CUDA_SHIM_PTX_NARROW(bfloat, bits)
CUDA_SHIM_PTX bfloat operator+(bfloat a, bfloat b) { return nearest<bfloat>((double)(float)a + (double)(float)b); }
CUDA_SHIM_PTX bfloat operator-(bfloat a, bfloat b) { return nearest<bfloat>((double)(float)a - (double)(float)b); }
CUDA_SHIM_PTX bfloat operator*(bfloat a, bfloat b) { return nearest<bfloat>((float)a * (float)b); }
CUDA_SHIM_PTX bfloat operator-(bfloat a) { return bfloat{(unsigned short)(a.bits ^ 0x8000)}; }
CUDA_SHIM_PTX float positive(float a) { return a <= 0.0f ? 0.0f : a; }
template <class T> CUDA_SHIM_PTX T positive(T a) { return a > 0 ? a : 0; }
// The NaN that NVIDIA's GPUs give has all bits but the sign.
CUDA_SHIM_PTX void set_nan(float& a) { a = as<float>(0x7fffffffu); }
CUDA_SHIM_PTX void set_nan(_Float16& a) { a = as<_Float16>((unsigned short)0x7fff); }
CUDA_SHIM_PTX void set_nan(bfloat& a) { a.bits = 0x7fff; }
template <class T> CUDA_SHIM_PTX T or_nan(T a, T b, T otherwise) {
    if (a != a || b != b) set_nan(otherwise);
    return otherwise;
}
template <class T> CUDA_SHIM_PTX T smaller_or_nan(T a, T b) { return or_nan(a, b, smaller(a, b)); }
template <class T> CUDA_SHIM_PTX T larger_or_nan(T a, T b) { return or_nan(a, b, larger(a, b)); }
// A size with the sign of a product; a NaN has none.
template <class T> CUDA_SHIM_PTX T xor_sign(T size, T a, T b) {
    using Bits = typename word<sizeof(T)>::type;
    const Bits sign = (Bits)((Bits)1 << (8 * sizeof(T) - 1));
    return size != size ? size : as<T>((Bits)(as<Bits>(size) | ((as<Bits>(a) ^ as<Bits>(b)) & sign)));
}
// The product with the divisor's reciprocal, which is zero for the greatest divisors, as if it were denormal.
CUDA_SHIM_PTX float quick_quotient(float a, float b) {
    const float size = __builtin_fabsf(b);
    return size > 0x1p126f && size < __builtin_inff() ? a * __builtin_copysignf(0.0f, b) : a / b;
}
// A number without its lower 32 bits; a denormal one is a zero of its sign.
CUDA_SHIM_PTX double upper_half(double a) {
    const unsigned long long bits = as<unsigned long long>(a);
    return as<double>(bits & ((bits >> 52 & 0x7ff) ? 0xffffffff00000000ull : 1ull << 63));
}
template <class T> CUDA_SHIM_PTX bool normal(T a) { return a == 0 || __builtin_isnormal(a); }
CUDA_SHIM_PTX float root(float a) { return __builtin_sqrtf(a); }
CUDA_SHIM_PTX double root(double a) { return __builtin_sqrt(a); }
CUDA_SHIM_PTX float with_sign(float a, float sign) { return __builtin_copysignf(a, sign); }
CUDA_SHIM_PTX double with_sign(double a, double sign) { return __builtin_copysign(a, sign); }
CUDA_SHIM_PTX unsigned tf32(float a) {
    const unsigned bits = as<unsigned>(a);
    return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000;
}

// Pairs in one register, the first in its low half.
template <class T, int Half> CUDA_SHIM_PTX T half_of(unsigned pair) { return as<T>((unsigned short)(pair >> (16 * Half))); }
template <class T> CUDA_SHIM_PTX unsigned packed_bytes(int high, int low, unsigned rest) {
    const unsigned upper = (unsigned char)limited<T>((long long)high), lower = (unsigned char)limited<T>((long long)low);
    return rest << 16 | upper << 8 | lower;
}
template <class T> CUDA_SHIM_PTX unsigned packed(T low, T high) {
    return (unsigned)as<unsigned short>(low) | ((unsigned)as<unsigned short>(high) << 16);
}

// Sums with a carry flag in and out; the difference of two numbers is a sum with the second one's complement.
struct nobody {
    template <class T> CUDA_SHIM_PTX_MEMBER void operator=(T) {}
};
template <class T, class In, class Out> CUDA_SHIM_PTX T add_carry(T a, T b, In carry, Out&& to) {
    const T first = (T)(a + b), sum = (T)(first + (T)(carry & 1));
    to = (unsigned)(first < a || sum < first);
    return sum;
}

template <class T> CUDA_SHIM_PTX typename unsigned_of<T>::type difference(T a, T b) {
    using U = typename unsigned_of<T>::type;
    return (U)(a > b ? (U)a - (U)b : (U)b - (U)a);
}
template <class T> CUDA_SHIM_PTX unsigned bfind_shift(T a) {
    const unsigned found = bfind(a);
    return found == 0xffffffffu ? found : 8 * (unsigned)sizeof(T) - 1 - found;
}
CUDA_SHIM_PTX unsigned bit_mask(unsigned from, unsigned count, bool clamp) {
    if (!clamp) return count % 32 ? ((1u << count % 32) - 1) << from % 32 : 0;
    if (from >= 32 || count == 0) return 0;
    return (count >= 32 ? ~0u : (1u << count) - 1) << from;
}
// fns: the position of the offset-th set bit, counted upwards from `base`, or downwards for a negative offset. The
// least offset, which has no absolute value, gives zero.
CUDA_SHIM_PTX unsigned nth_set(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return base < 32 && ((mask >> base) & 1) ? base : ~0u;
    if (offset == -2147483647 - 1) return 0;
    const int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;
    for (unsigned place = base; place < 32; place += (unsigned)step) {
        if (((mask >> place) & 1) && --left == 0) return place;
    }
    return ~0u;
}
template <class T> CUDA_SHIM_PTX T extended(T a, unsigned bits, bool clamp) {
    bits = clamp ? bits : bits % 32;
    if (bits == 0) return 0;
    if (bits >= 32) return a;
    return (T)(a << (32 - bits)) >> (32 - bits);
}
template <class T> CUDA_SHIM_PTX T short_of(T a) { return (T)(a << 8) >> 8; }
template <class T> CUDA_SHIM_PTX T mul24(T a, T b) { return (T)(mul_wide(short_of(a), short_of(b))); }
template <class T> CUDA_SHIM_PTX T mul24_hi(T a, T b) { return (T)(mul_wide(short_of(a), short_of(b)) >> 16); }
CUDA_SHIM_PTX int byte_of(int a, int at) { return (signed char)(a >> (8 * at)); }
CUDA_SHIM_PTX int byte_of(unsigned a, int at) { return (int)(a >> (8 * at) & 255); }
CUDA_SHIM_PTX int short_at(int a, int at) { return (short)(a >> (16 * at)); }
CUDA_SHIM_PTX int short_at(unsigned a, int at) { return (int)(a >> (16 * at) & 0xffff); }
template <class A, class B, class C> CUDA_SHIM_PTX C dot4(A a, B b, C c) {
    for (int at = 0; at < 4; ++at) c += (C)(byte_of(a, at) * byte_of(b, at));
    return c;
}
template <class A, class B, class C> CUDA_SHIM_PTX C dot2(A a, B b, C c, int from) {
    for (int at = 0; at < 2; ++at) c += (C)(short_at(a, at) * byte_of(b, at + from / 8));
    return c;
}
CUDA_SHIM_PTX unsigned prmt_f4e(unsigned a, unsigned b, unsigned by) { return (unsigned)((((unsigned long long)b << 32) | a) >> (8 * (by & 3))); }
CUDA_SHIM_PTX unsigned prmt_b4e(unsigned a, unsigned b, unsigned by) {
    const unsigned from = by & 3;
    return prmt(a, b, from | ((from + 7) & 7) << 4 | ((from + 6) & 7) << 8 | ((from + 5) & 7) << 12);
}
CUDA_SHIM_PTX unsigned prmt_rc8(unsigned a, unsigned, unsigned by) { return (a >> (8 * (by & 3)) & 255) * 0x01010101u; }
CUDA_SHIM_PTX unsigned prmt_rc16(unsigned a, unsigned, unsigned by) { return (a >> (16 * (by & 1)) & 0xffff) * 0x00010001u; }
CUDA_SHIM_PTX unsigned prmt_ecl(unsigned a, unsigned b, unsigned by) {
    const unsigned least = by & 3;
    unsigned selector = 0;
    for (unsigned at = 0; at < 4; ++at) selector |= (at < least ? least : at) << (4 * at);
    return prmt(a, b, selector);
}
CUDA_SHIM_PTX unsigned prmt_ecr(unsigned a, unsigned b, unsigned by) {
    const unsigned most = by & 3;
    unsigned selector = 0;
    for (unsigned at = 0; at < 4; ++at) selector |= (at > most ? most : at) << (4 * at);
    return prmt(a, b, selector);
}

}  // namespace cuda_shim_ptx

#include <cuda_shim/ptx_video.h>
