// CUDA's minima and maxima of two and three integers, of sums, and of 16-bit halves: __vimax3_s32, __viaddmin_u16x2, ….
//
// Names that end in relu never return less than 0; the functions whose names begin with __vib also say whether the
// first number is the result.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_larger(T a, T b) { return a < b ? b : a; }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_smaller(T a, T b) { return b < a ? b : a; }

// Applies `combine` to the low and to the high halves of words, each read as Half.
template <class Half, class Combine>
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_halves(unsigned a, unsigned b, unsigned c, Combine combine) {
    const unsigned low = (unsigned short)combine((Half)a, (Half)b, (Half)c);
    const unsigned high = (unsigned short)combine((Half)(a >> 16), (Half)(b >> 16), (Half)(c >> 16));
    return low | high << 16;
}

// Sums wrap around.
#define CUDA_ON_HIP_WORDS(limit, pick, type, suffix)                                                                   \
    CUDA_ON_HIP_DEVICE type cuda_on_hip_vi##limit##3_##suffix(type a, type b, type c) { return pick(pick(a, b), c); }  \
    CUDA_ON_HIP_DEVICE type cuda_on_hip_viadd##limit##_##suffix(type a, type b, type c) {                              \
        return pick((type)((unsigned)a + (unsigned)b), c);                                                             \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE type cuda_on_hip_vib##limit##_##suffix(type a, type b, bool* first) {                           \
        *first = pick(a, b) == a;                                                                                      \
        return pick(a, b);                                                                                             \
    }
#define CUDA_ON_HIP_HALVES(limit, pick, half, suffix)                                                                  \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_vi##limit##3_##suffix(unsigned x, unsigned y, unsigned z) {                \
        return cuda_on_hip_halves<half>(x, y, z, [](int a, int b, int c) { return pick(pick(a, b), c); });             \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_viadd##limit##_##suffix(unsigned x, unsigned y, unsigned z) {              \
        return cuda_on_hip_halves<half>(x, y, z, [](int a, int b, int c) { return pick((int)(half)(a + b), c); });     \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_vib##limit##_##suffix(unsigned x, unsigned y, bool* high, bool* low) {     \
        *low = pick((half)x, (half)y) == (half)x;                                                                      \
        *high = pick((half)(x >> 16), (half)(y >> 16)) == (half)(x >> 16);                                             \
        return cuda_on_hip_halves<half>(x, y, 0, [](int a, int b, int) { return pick(a, b); });                        \
    }
#define CUDA_ON_HIP_RELU(limit, pick)                                                                                  \
    CUDA_ON_HIP_DEVICE int cuda_on_hip_vi##limit##_s32_relu(int a, int b) { return cuda_on_hip_larger(pick(a, b), 0); } \
    CUDA_ON_HIP_DEVICE int cuda_on_hip_vi##limit##3_s32_relu(int a, int b, int c) {                                    \
        return cuda_on_hip_larger(cuda_on_hip_vi##limit##3_s32(a, b, c), 0);                                           \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE int cuda_on_hip_viadd##limit##_s32_relu(int a, int b, int c) {                                  \
        return cuda_on_hip_larger(cuda_on_hip_viadd##limit##_s32(a, b, c), 0);                                         \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_vi##limit##_s16x2_relu(unsigned x, unsigned y) {                           \
        return cuda_on_hip_halves<short>(x, y, 0, [](int a, int b, int) { return cuda_on_hip_larger(pick(a, b), 0); }); \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_vi##limit##3_s16x2_relu(unsigned x, unsigned y, unsigned z) {              \
        return cuda_on_hip_halves<short>(cuda_on_hip_vi##limit##3_s16x2(x, y, z), 0, 0,                                \
                                         [](int a, int b, int) { return cuda_on_hip_larger(a, b); });                  \
    }                                                                                                                  \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_viadd##limit##_s16x2_relu(unsigned x, unsigned y, unsigned z) {            \
        return cuda_on_hip_halves<short>(cuda_on_hip_viadd##limit##_s16x2(x, y, z), 0, 0,                              \
                                         [](int a, int b, int) { return cuda_on_hip_larger(a, b); });                  \
    }
#define CUDA_ON_HIP_LIMIT(limit, pick)                       \
    CUDA_ON_HIP_WORDS(limit, pick, int, s32)                 \
    CUDA_ON_HIP_WORDS(limit, pick, unsigned, u32)            \
    CUDA_ON_HIP_HALVES(limit, pick, short, s16x2)            \
    CUDA_ON_HIP_HALVES(limit, pick, unsigned short, u16x2)   \
    CUDA_ON_HIP_RELU(limit, pick)
CUDA_ON_HIP_LIMIT(max, cuda_on_hip_larger)
CUDA_ON_HIP_LIMIT(min, cuda_on_hip_smaller)
#undef CUDA_ON_HIP_WORDS
#undef CUDA_ON_HIP_HALVES
#undef CUDA_ON_HIP_RELU
#undef CUDA_ON_HIP_LIMIT
