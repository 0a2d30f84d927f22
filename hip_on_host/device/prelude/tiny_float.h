// The common part of CUDA's floating-point types of 8, 6 and 4 bits. A number is encoded once from a double, which
// holds every source, so no rounding is misled by an earlier one.
#pragma once
#include "../include/cuda_bf16.h"
#include "../include/cuda_fp16.h"

// A sign above `Exponent` bits and `Fraction` bits. `Largest` is the code of the largest finite number, `Beyond` the
// code of greater numbers unless these saturate, `NotANumber` the code of a NaN.
template <int Exponent, int Fraction, unsigned int Largest, unsigned int Beyond, unsigned int NotANumber>
struct cuda_shim_tiny_format {
    static constexpr unsigned int sign = 1u << (Exponent + Fraction);
    static constexpr int least_exponent = 2 - (1 << (Exponent - 1));  // the least of numbers with an implicit first bit

    static unsigned char encode(double x, bool finite = true) {
        if (x != x) return (unsigned char)NotANumber;
        const double magnitude = __builtin_fabs(x);
        int exponent = (int)(cuda_shim_bits<unsigned long long>(magnitude) >> 52) - 1023;
        if (exponent < least_exponent) exponent = least_exponent;
        // Scaled so that the last bit of the fraction is 1. A carry into the exponent comes out right.
        const double scale = cuda_shim_bits<double>((unsigned long long)(1023 + Fraction - exponent) << 52);
        unsigned int code = Beyond + 1;
        if (exponent <= least_exponent + (1 << Exponent))
            code = ((unsigned int)(exponent - least_exponent) << Fraction) + (unsigned int)__builtin_rint(magnitude * scale);
        if (code > Largest) code = finite ? Largest : Beyond;
        return (unsigned char)(code | (__builtin_signbit(x) ? sign : 0));
    }
    // CUDA's conversions from double make another NaN than its instructions, where a format has several.
    static unsigned char encode_double(double x, bool finite = true) {
        return x != x && NotANumber > Beyond ? (unsigned char)(NotANumber - 1) : encode(x, finite);
    }
    static float decode(unsigned int code) {
        const unsigned int magnitude = code & (sign - 1), fraction = magnitude & ((1u << Fraction) - 1);
        float result;
        if (magnitude > Largest) {
            if (magnitude != Beyond || Beyond == NotANumber) return cuda_shim_bits<float>(0x7fffffffu);
            result = __builtin_inff();
        } else {
            const int field = (int)(magnitude >> Fraction);
            const unsigned int units = field ? fraction | (1u << Fraction) : fraction;
            const int exponent = (field ? field - 1 : 0) + least_exponent - Fraction;
            result = (float)units * cuda_shim_bits<float>((unsigned int)(127 + exponent) << 23);
        }
        return code & sign ? -result : result;
    }
    static bool is_something(unsigned int code) { return (code & (sign - 1)) != 0; }
    template <class Integer> static float from_integer(Integer x) { return (float)x; }
};

template <class Format> struct cuda_shim_tiny {
    unsigned char __x;

    cuda_shim_tiny() = default;
    explicit cuda_shim_tiny(float x) : __x(Format::encode(x)) {}
    explicit cuda_shim_tiny(double x) : __x(Format::encode_double(x)) {}
    explicit cuda_shim_tiny(__half x) : __x(Format::encode((float)x)) {}
    explicit cuda_shim_tiny(__nv_bfloat16 x) : __x(Format::encode((float)x)) {}
    explicit cuda_shim_tiny(short x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(unsigned short x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(int x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(unsigned int x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(long x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(unsigned long x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(long long x) : __x(Format::encode(Format::from_integer(x))) {}
    explicit cuda_shim_tiny(unsigned long long x) : __x(Format::encode(Format::from_integer(x))) {}

    explicit operator float() const { return Format::decode(__x); }
    explicit operator double() const { return Format::decode(__x); }
    explicit operator __half() const { return __half(cuda_shim_half_raw(Format::decode(__x))); }
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(cuda_shim_bfloat16_raw(Format::decode(__x))); }
    explicit operator char() const { return to<char>(); }
    explicit operator signed char() const { return to<signed char>(); }
    explicit operator unsigned char() const { return to<unsigned char>(); }
    explicit operator short() const { return to<short>(); }
    explicit operator unsigned short() const { return to<unsigned short>(); }
    explicit operator int() const { return to<int>(); }
    explicit operator unsigned int() const { return to<unsigned int>(); }
    explicit operator long() const { return to<long>(); }
    explicit operator unsigned long() const { return to<unsigned long>(); }
    explicit operator long long() const { return to<long long>(); }
    explicit operator unsigned long long() const { return to<unsigned long long>(); }
    explicit operator bool() const { return Format::is_something(__x); }

private:
    template <class Integer> Integer to() const { return cuda_shim_saturate<Integer>((double)Format::decode(__x)); }
    static __half_raw cuda_shim_half_raw(float x) { return __half_raw{x != x ? (unsigned short)0x7fff : cuda_shim_to_half(x)}; }
    static __nv_bfloat16_raw cuda_shim_bfloat16_raw(float x) { return __nv_bfloat16(x); }
};

// Two and four of them, `Bits` apart, the first lowest.
template <class Format, int Bits, class Storage> struct cuda_shim_tiny_pair {
    Storage __x;

    cuda_shim_tiny_pair() = default;
    explicit cuda_shim_tiny_pair(__half2 v) : __x(pack((float)v.x, (float)v.y)) {}
    explicit cuda_shim_tiny_pair(__nv_bfloat162 v) : __x(pack((float)v.x, (float)v.y)) {}
    explicit cuda_shim_tiny_pair(float2 v) : __x(pack(v.x, v.y)) {}
    explicit cuda_shim_tiny_pair(double2 v) : __x((Storage)(Format::encode_double(v.x) | Format::encode_double(v.y) << Bits)) {}
    explicit operator float2() const { return make_float2(part(0), part(1)); }
    explicit operator __half2() const { return __half2(half_of(0), half_of(1)); }
    explicit operator __nv_bfloat162() const { return __nv_bfloat162(__nv_bfloat16(part(0)), __nv_bfloat16(part(1))); }

private:
    static Storage pack(double x, double y) { return (Storage)(Format::encode(x) | Format::encode(y) << Bits); }
    unsigned int code(int index) const { return (__x >> (index * Bits)) & ((1u << Bits) - 1); }
    float part(int index) const { return Format::decode(code(index)); }
    __half half_of(int index) const {
        cuda_shim_tiny<Format> one;
        one.__x = (unsigned char)code(index);
        return (__half)one;
    }
};
template <class Format, int Bits, class Storage> struct cuda_shim_tiny_four {
    Storage __x;

    cuda_shim_tiny_four() = default;
    explicit cuda_shim_tiny_four(__half2 low, __half2 high) : __x(pack((float)low.x, (float)low.y, (float)high.x, (float)high.y)) {}
    explicit cuda_shim_tiny_four(__nv_bfloat162 low, __nv_bfloat162 high)
        : __x(pack((float)low.x, (float)low.y, (float)high.x, (float)high.y)) {}
    explicit cuda_shim_tiny_four(float4 v) : __x(pack(v.x, v.y, v.z, v.w)) {}
    explicit cuda_shim_tiny_four(double4 v)
        : __x((Storage)(Format::encode_double(v.x) | Format::encode_double(v.y) << Bits |
                        Format::encode_double(v.z) << 2 * Bits | (Storage)Format::encode_double(v.w) << 3 * Bits)) {}
    explicit operator float4() const { return make_float4(part(0), part(1), part(2), part(3)); }

private:
    static Storage pack(double x, double y, double z, double w) {
        return (Storage)(Format::encode(x) | Format::encode(y) << Bits | Format::encode(z) << 2 * Bits |
                         (Storage)Format::encode(w) << 3 * Bits);
    }
    float part(int index) const { return Format::decode((unsigned int)(__x >> (index * Bits)) & ((1u << Bits) - 1)); }
};

// A type's names: the single one, the pair, the four.
#define CUDA_SHIM_TINY_TYPES(kind, name, Format, Bits, Storage2, Storage4)                                       \
    struct __nv_##kind##_##name : cuda_shim_tiny<Format> {                                                       \
        __nv_##kind##_##name() = default;                                                                        \
        using cuda_shim_tiny<Format>::cuda_shim_tiny;                                                            \
    };                                                                                                           \
    struct CUDA_SHIM_ALIGNED(sizeof(Storage2)) __nv_##kind##x2_##name : cuda_shim_tiny_pair<Format, Bits, Storage2> {   \
        __nv_##kind##x2_##name() = default;                                                                      \
        using cuda_shim_tiny_pair<Format, Bits, Storage2>::cuda_shim_tiny_pair;                                  \
    };                                                                                                           \
    struct CUDA_SHIM_ALIGNED(sizeof(Storage4)) __nv_##kind##x4_##name : cuda_shim_tiny_four<Format, Bits, Storage4> {   \
        __nv_##kind##x4_##name() = default;                                                                      \
        using cuda_shim_tiny_four<Format, Bits, Storage4>::cuda_shim_tiny_four;                                  \
    };

// Functions that encode, from each type by itself and in pairs. `second` and `third` are the types of the parameters that
// `encode` takes behind the number; the names of bfloat16 differ from kind to kind.
#define CUDA_SHIM_TINY_ENCODERS(kind, pairs, Bits, Storage2, encode, second, third)                              \
    CUDA_SHIM_INLINE unsigned char __nv_cvt_double_to_##kind(double x, second s, third t) { return encode(x, s, t); }   \
    CUDA_SHIM_INLINE unsigned char __nv_cvt_float_to_##kind(float x, second s, third t) { return encode(x, s, t); }     \
    CUDA_SHIM_INLINE unsigned char __nv_cvt_bfloat16raw_to_##kind(__nv_bfloat16_raw x, second s, third t) {      \
        return encode((float)__nv_bfloat16(x), s, t);                                                            \
    }                                                                                                            \
    CUDA_SHIM_INLINE Storage2 __nv_cvt_double2_to_##kind##x2(double2 v, second s, third t) {                     \
        return (Storage2)(encode(v.x, s, t) | encode(v.y, s, t) << Bits);                                        \
    }                                                                                                            \
    CUDA_SHIM_INLINE Storage2 __nv_cvt_float2_to_##kind##x2(float2 v, second s, third t) {                       \
        return (Storage2)(encode(v.x, s, t) | encode(v.y, s, t) << Bits);                                        \
    }                                                                                                            \
    CUDA_SHIM_INLINE Storage2 __nv_cvt_##pairs##_to_##kind##x2(__nv_bfloat162_raw v, second s, third t) {        \
        return (Storage2)(encode((float)__nv_bfloat162(v).x, s, t) | encode((float)__nv_bfloat162(v).y, s, t) << Bits); \
    }
#define CUDA_SHIM_TINY_HALF_ENCODERS(kind, Bits, Storage2, encode, second, third)                                \
    CUDA_SHIM_INLINE unsigned char __nv_cvt_halfraw_to_##kind(__half_raw x, second s, third t) {                 \
        return encode((float)__half(x), s, t);                                                                   \
    }                                                                                                            \
    CUDA_SHIM_INLINE Storage2 __nv_cvt_halfraw2_to_##kind##x2(__half2_raw v, second s, third t) {                \
        return (Storage2)(encode((float)__half2(v).x, s, t) | encode((float)__half2(v).y, s, t) << Bits);        \
    }
#define CUDA_SHIM_TINY_DECODERS(kind, Bits, Storage2, decode, interpretation)                                    \
    CUDA_SHIM_INLINE __half_raw __nv_cvt_##kind##_to_halfraw(unsigned char code, interpretation how) {           \
        const float x = decode(code, how);                                                                       \
        return __half_raw{x != x ? (unsigned short)0x7fff : cuda_shim_to_half(x)};                               \
    }                                                                                                            \
    CUDA_SHIM_INLINE __nv_bfloat16_raw __nv_cvt_##kind##_to_bf16raw(unsigned char code, interpretation how) {    \
        return __nv_bfloat16(decode(code, how));                                                                 \
    }                                                                                                            \
    CUDA_SHIM_INLINE __half2_raw __nv_cvt_##kind##x2_to_halfraw2(Storage2 codes, interpretation how) {           \
        return __half2_raw{__nv_cvt_##kind##_to_halfraw((unsigned char)(codes & ((1 << Bits) - 1)), how).x,      \
                           __nv_cvt_##kind##_to_halfraw((unsigned char)(codes >> Bits), how).x};                 \
    }                                                                                                            \
    CUDA_SHIM_INLINE __nv_bfloat162_raw __nv_cvt_##kind##x2_to_bf162raw(Storage2 codes, interpretation how) {    \
        return __nv_bfloat162_raw{__nv_cvt_##kind##_to_bf16raw((unsigned char)(codes & ((1 << Bits) - 1)), how).x,      \
                                  __nv_cvt_##kind##_to_bf16raw((unsigned char)(codes >> Bits), how).x};          \
    }
