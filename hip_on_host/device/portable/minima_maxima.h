// Minima and maxima of two and three integers, of a sum and a number, of a word or of its two halves: __vimax3_s32,
// __viaddmin_u16x2, …. Names that end in relu never return less than 0; the functions whose names begin with __vib also
// say which of both it was, of equal ones the first. The header needs integer_functions.h before it.
#pragma once

#define CUDA_PORTABLE_AT_LEAST_0(value) CUDA_PORTABLE_HELPER(larger)(value, 0)

// Sums of words wrap around.
#define CUDA_PORTABLE_WORDS(limit, pick, op, T, suffix)                                                                    \
    CUDA_PORTABLE_INLINE T CUDA_PORTABLE_INTRINSIC(vi##limit##3_##suffix)(T a, T b, T c) { return pick(pick(a, b), c); }   \
    CUDA_PORTABLE_INLINE T CUDA_PORTABLE_INTRINSIC(viadd##limit##_##suffix)(T a, T b, T c) {                               \
        return pick((T)((unsigned int)a + (unsigned int)b), c);                                                            \
    }                                                                                                                      \
    CUDA_PORTABLE_INLINE T CUDA_PORTABLE_INTRINSIC(vib##limit##_##suffix)(T a, T b, bool* first) {                         \
        return *first = a op b, pick(a, b);                                                                                \
    }
#define CUDA_PORTABLE_HALVES_2(name, type, expression)                                                                     \
    CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(name)(unsigned int x, unsigned int y) {                      \
        unsigned int result = 0;                                                                                           \
        for (int i = 0; i < 32; i += 16) {                                                                                 \
            const int a = (type)(x >> i), b = (type)(y >> i);                                                              \
            result |= ((unsigned int)(expression) & 0xffffu) << i;                                                         \
        }                                                                                                                  \
        return result;                                                                                                     \
    }
#define CUDA_PORTABLE_HALVES_3(name, type, expression)                                                                     \
    CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(name)(unsigned int x, unsigned int y, unsigned int z) {      \
        unsigned int result = 0;                                                                                           \
        for (int i = 0; i < 32; i += 16) {                                                                                 \
            const int a = (type)(x >> i), b = (type)(y >> i), c = (type)(z >> i);                                          \
            result |= ((unsigned int)(expression) & 0xffffu) << i;                                                         \
        }                                                                                                                  \
        return result;                                                                                                     \
    }
#define CUDA_PORTABLE_WHICH_HALVES(name, type, pick, op)                                                                   \
    CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(name)(unsigned int x, unsigned int y, bool* high, bool* low) { \
        const int a = (type)x, b = (type)y, c = (type)(x >> 16), d = (type)(y >> 16);                                      \
        *low = a op b, *high = c op d;                                                                                     \
        return ((unsigned int)pick(c, d) & 0xffffu) << 16 | ((unsigned int)pick(a, b) & 0xffffu);                          \
    }
#define CUDA_PORTABLE_HALVES(limit, pick, op, type, suffix)                                                                \
    CUDA_PORTABLE_HALVES_3(vi##limit##3_##suffix, type, pick(pick(a, b), c))                                               \
    CUDA_PORTABLE_HALVES_3(viadd##limit##_##suffix, type, pick((int)(type)(a + b), c))                                     \
    CUDA_PORTABLE_WHICH_HALVES(vib##limit##_##suffix, type, pick, op)
#define CUDA_PORTABLE_RELU(limit, pick)                                                                                    \
    CUDA_PORTABLE_INLINE int CUDA_PORTABLE_INTRINSIC(vi##limit##_s32_relu)(int a, int b) {                                 \
        return CUDA_PORTABLE_AT_LEAST_0(pick(a, b));                                                                       \
    }                                                                                                                      \
    CUDA_PORTABLE_INLINE int CUDA_PORTABLE_INTRINSIC(vi##limit##3_s32_relu)(int a, int b, int c) {                         \
        return CUDA_PORTABLE_AT_LEAST_0(pick(pick(a, b), c));                                                              \
    }                                                                                                                      \
    CUDA_PORTABLE_INLINE int CUDA_PORTABLE_INTRINSIC(viadd##limit##_s32_relu)(int a, int b, int c) {                       \
        return CUDA_PORTABLE_AT_LEAST_0(CUDA_PORTABLE_INTRINSIC(viadd##limit##_s32)(a, b, c));                             \
    }                                                                                                                      \
    CUDA_PORTABLE_HALVES_2(vi##limit##_s16x2_relu, short, CUDA_PORTABLE_AT_LEAST_0(pick(a, b)))                            \
    CUDA_PORTABLE_HALVES_3(vi##limit##3_s16x2_relu, short, CUDA_PORTABLE_AT_LEAST_0(pick(pick(a, b), c)))                  \
    CUDA_PORTABLE_HALVES_3(viadd##limit##_s16x2_relu, short, CUDA_PORTABLE_AT_LEAST_0(pick((int)(short)(a + b), c)))
#define CUDA_PORTABLE_LIMIT(limit, pick, op)                                                                               \
    CUDA_PORTABLE_WORDS(limit, pick, op, int, s32)                                                                         \
    CUDA_PORTABLE_WORDS(limit, pick, op, unsigned int, u32)                                                                \
    CUDA_PORTABLE_HALVES(limit, pick, op, short, s16x2)                                                                    \
    CUDA_PORTABLE_HALVES(limit, pick, op, unsigned short, u16x2)                                                           \
    CUDA_PORTABLE_RELU(limit, pick)
CUDA_PORTABLE_LIMIT(max, CUDA_PORTABLE_HELPER(larger), >=)
CUDA_PORTABLE_LIMIT(min, CUDA_PORTABLE_HELPER(smaller), <=)
#undef CUDA_PORTABLE_LIMIT
#undef CUDA_PORTABLE_RELU
#undef CUDA_PORTABLE_HALVES
#undef CUDA_PORTABLE_WHICH_HALVES
#undef CUDA_PORTABLE_HALVES_3
#undef CUDA_PORTABLE_HALVES_2
#undef CUDA_PORTABLE_WORDS
#undef CUDA_PORTABLE_AT_LEAST_0
