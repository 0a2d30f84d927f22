// Reads of texels from memory; abi/texture_object.h has a texture object's description of them.
//
// A texel is four words, as it is in a GPU's registers: a float's bits, or an integer. A kernel that asks for another type
// than the texture holds gets the same words under that type, so integers are cut off and floats show their bits.
// Channels that a texture lacks are zero. (All of this was seen on NVIDIA's hardware, not only read.)
#pragma once
#include "../../src/abi/texture_object.h"

// Not inlined: hiprtc inlines all that a kernel calls, and these are long. Not checked, since the texture object that
// they read is the runtime's memory and no kernel's.
#define CUDA_SHIM_TEXTURE_FUNCTION static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused))

struct cuda_shim_texel { uint32_t word[4]; };

CUDA_SHIM_INLINE uint32_t cuda_shim_word(float x) { return cuda_shim_bits<uint32_t>(x); }
CUDA_SHIM_INLINE float cuda_shim_number(uint32_t word) { return cuda_shim_bits<float>(word); }

CUDA_SHIM_INLINE bool cuda_shim_reads_floats(const CudaShimTexture* texture) {
    return texture->normalized_read || texture->texels.format >= CUDA_SHIM_TEXEL_HALF;
}

// IEEE half precision without the type, which not every compiler has.
CUDA_SHIM_INLINE float cuda_shim_half_number(uint16_t half) {
    const uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 31, fraction = half & 0x3ffu;
    if (exponent == 31) return cuda_shim_number(sign | 0x7f800000u | (fraction << 13));
    if (exponent) return cuda_shim_number(sign | ((exponent + 112) << 23) | (fraction << 13));
    return cuda_shim_number(sign | cuda_shim_word((float)fraction * 5.9604644775390625e-8f));
}
CUDA_SHIM_INLINE float cuda_shim_from_srgb(float x) {
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}
CUDA_SHIM_INLINE float cuda_shim_within_float(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

template <class T> CUDA_SHIM_INLINE T cuda_shim_channel(const char* texel, uint32_t channel) {
    T value;
    __builtin_memcpy(&value, texel + channel * sizeof(T), sizeof(T));
    return value;
}
// `most`: the number that is read as 1. Of signed integers the smallest two are both read as -1.
template <class T> CUDA_SHIM_INLINE uint32_t cuda_shim_integer_word(const CudaShimTexture* texture, T value, float most) {
    return texture->normalized_read ? cuda_shim_word(cuda_shim_within_float((float)value / most, -1.0f, 1.0f)) : (uint32_t)value;
}
CUDA_SHIM_INLINE uint32_t cuda_shim_channel_word(const CudaShimTexture* texture, const char* texel, uint32_t channel) {
    switch (texture->texels.format) {
        case CUDA_SHIM_TEXEL_UINT8: {
            const uint32_t word = cuda_shim_integer_word(texture, cuda_shim_channel<uint8_t>(texel, channel), 255.0f);
            if (!texture->srgb || !texture->normalized_read || channel == 3) return word;
            return cuda_shim_word(cuda_shim_from_srgb(cuda_shim_number(word)));
        }
        case CUDA_SHIM_TEXEL_INT8: return cuda_shim_integer_word(texture, cuda_shim_channel<int8_t>(texel, channel), 127.0f);
        case CUDA_SHIM_TEXEL_UINT16: return cuda_shim_integer_word(texture, cuda_shim_channel<uint16_t>(texel, channel), 65535.0f);
        case CUDA_SHIM_TEXEL_INT16: return cuda_shim_integer_word(texture, cuda_shim_channel<int16_t>(texel, channel), 32767.0f);
        case CUDA_SHIM_TEXEL_HALF: return cuda_shim_word(cuda_shim_half_number(cuda_shim_channel<uint16_t>(texel, channel)));
        default: return cuda_shim_channel<uint32_t>(texel, channel);
    }
}
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_read_texel(const CudaShimTexture* texture, const char* address) {
    cuda_shim_texel texel{};
    for (uint32_t channel = 0; channel < texture->texels.channels; ++channel)
        texel.word[channel] = cuda_shim_channel_word(texture, address, channel);
    return texel;
}

// Integers take the border colour's bits, as many as a channel has: the colour's four floats may be integers in disguise.
CUDA_SHIM_INLINE uint32_t cuda_shim_border_word(const CudaShimTexture* texture, float colour) {
    const uint32_t format = texture->texels.format;
    if (texture->normalized_read)
        return cuda_shim_word(cuda_shim_within_float(colour, format < CUDA_SHIM_TEXEL_INT8 ? 0.0f : -1.0f, 1.0f));
    const uint32_t bits = cuda_shim_word(colour);
    switch (format) {
        case CUDA_SHIM_TEXEL_UINT8: return (uint8_t)bits;
        case CUDA_SHIM_TEXEL_INT8: return (uint32_t)(int8_t)bits;
        case CUDA_SHIM_TEXEL_UINT16: return (uint16_t)bits;
        case CUDA_SHIM_TEXEL_INT16: return (uint32_t)(int16_t)bits;
        default: return bits;
    }
}
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_border_texel(const CudaShimTexture* texture) {
    cuda_shim_texel texel{};
    for (uint32_t channel = 0; channel < texture->texels.channels; ++channel)
        texel.word[channel] = cuda_shim_border_word(texture, texture->border[channel]);
    return texel;
}

template <class T> CUDA_SHIM_INLINE T cuda_shim_from_word(uint32_t word) { return (T)word; }
template <> inline __attribute__((always_inline)) float cuda_shim_from_word<float>(uint32_t word) { return cuda_shim_number(word); }

// The channels that texels of type T have.
template <class T, class = void> struct cuda_shim_channels {
    typedef T type;
    static constexpr int count = 1;
};
template <class T> struct cuda_shim_channels<T, decltype((void)T::cuda_shim_lanes)> {
    typedef typename T::cuda_shim_element type;
    static constexpr int count = T::cuda_shim_lanes;
};

// The types that a fetch may return: 8-, 16- and 32-bit integers and float, alone or as vectors of 1, 2 and 4.
template <class T> struct cuda_shim_texel_type {};
#define CUDA_SHIM_TEXEL_TYPES(T, name)                                                                            \
    template <> struct cuda_shim_texel_type<T> {                                                                  \
        typedef T type;                                                                                           \
        typedef name##4 four;                                                                                     \
        CUDA_SHIM_INLINE T from_word(uint32_t word) { return cuda_shim_from_word<T>(word); }                      \
        CUDA_SHIM_INLINE T from(const cuda_shim_texel& texel) { return from_word(texel.word[0]); }                \
    };                                                                                                            \
    template <> struct cuda_shim_texel_type<name##1> {                                                            \
        typedef name##1 type;                                                                                     \
        CUDA_SHIM_INLINE type from(const cuda_shim_texel& texel) {                                                \
            return type{cuda_shim_texel_type<T>::from_word(texel.word[0])};                                       \
        }                                                                                                         \
    };                                                                                                            \
    template <> struct cuda_shim_texel_type<name##2> {                                                            \
        typedef name##2 type;                                                                                     \
        CUDA_SHIM_INLINE type from(const cuda_shim_texel& texel) {                                                \
            return type{cuda_shim_texel_type<T>::from_word(texel.word[0]), cuda_shim_texel_type<T>::from_word(texel.word[1])}; \
        }                                                                                                         \
    };                                                                                                            \
    template <> struct cuda_shim_texel_type<name##4> {                                                            \
        typedef name##4 type;                                                                                     \
        CUDA_SHIM_INLINE type from(const cuda_shim_texel& texel) {                                                \
            return type{cuda_shim_texel_type<T>::from_word(texel.word[0]), cuda_shim_texel_type<T>::from_word(texel.word[1]),  \
                        cuda_shim_texel_type<T>::from_word(texel.word[2]), cuda_shim_texel_type<T>::from_word(texel.word[3])}; \
        }                                                                                                         \
    };
template <> struct cuda_shim_texel_type<char> {
    typedef char type;
    typedef char4 four;
    CUDA_SHIM_INLINE char from(const cuda_shim_texel& texel) { return (char)texel.word[0]; }
};
CUDA_SHIM_TEXEL_TYPES(signed char, char)
CUDA_SHIM_TEXEL_TYPES(unsigned char, uchar)
CUDA_SHIM_TEXEL_TYPES(short, short)
CUDA_SHIM_TEXEL_TYPES(unsigned short, ushort)
CUDA_SHIM_TEXEL_TYPES(int, int)
CUDA_SHIM_TEXEL_TYPES(unsigned int, uint)
CUDA_SHIM_TEXEL_TYPES(float, float)
