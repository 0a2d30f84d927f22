// Intrinsics on four bytes or two halves of a word at once, and minima and maxima of three.
#pragma once

// Four bytes or two halves of a word at once.
#define CUDA_SHIM_SIMD(name, lanes, bits, type, expression)                        \
    CUDA_SHIM_INLINE unsigned int name(unsigned int x, unsigned int y) {           \
        unsigned int result = 0;                                                   \
        const unsigned int ones = (1u << bits) - 1;                                \
        for (int i = 0; i < lanes; ++i) {                                          \
            const int a = (type)(x >> (bits * i)), b = (type)(y >> (bits * i));    \
            result |= ((unsigned int)(expression) & ones) << (bits * i);           \
        }                                                                          \
        return result;                                                             \
    }
#define CUDA_SHIM_SIMD_BOTH(name, sign, expression)                \
    CUDA_SHIM_SIMD(name##4, 4, 8, sign char, expression)           \
    CUDA_SHIM_SIMD(name##2, 2, 16, sign short, expression)
// Saturating forms name the limits of their lanes.
#define CUDA_SHIM_SIMD_LIMITED(name, sign, low4, high4, low2, high2, expression)                                       \
    CUDA_SHIM_SIMD(name##4, 4, 8, sign char, cuda_shim_within(expression, low4, high4))                                \
    CUDA_SHIM_SIMD(name##2, 2, 16, sign short, cuda_shim_within(expression, low2, high2))
CUDA_SHIM_INLINE int cuda_shim_within(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
CUDA_SHIM_INLINE int cuda_shim_magnitude(int x) { return x < 0 ? -x : x; }

CUDA_SHIM_SIMD_BOTH(__vadd, unsigned, a + b)
CUDA_SHIM_SIMD_BOTH(__vsub, unsigned, a - b)
CUDA_SHIM_SIMD_LIMITED(__vaddus, unsigned, 0, 255, 0, 65535, a + b)
CUDA_SHIM_SIMD_LIMITED(__vsubus, unsigned, 0, 255, 0, 65535, a - b)
CUDA_SHIM_SIMD_LIMITED(__vaddss, signed, -128, 127, -32768, 32767, a + b)
CUDA_SHIM_SIMD_LIMITED(__vsubss, signed, -128, 127, -32768, 32767, a - b)
CUDA_SHIM_SIMD_BOTH(__vmaxu, unsigned, a > b ? a : b)
CUDA_SHIM_SIMD_BOTH(__vminu, unsigned, a < b ? a : b)
CUDA_SHIM_SIMD_BOTH(__vmaxs, signed, a > b ? a : b)
CUDA_SHIM_SIMD_BOTH(__vmins, signed, a < b ? a : b)
CUDA_SHIM_SIMD_BOTH(__vabsdiffu, unsigned, a > b ? a - b : b - a)
CUDA_SHIM_SIMD_BOTH(__vabsdiffs, signed, a > b ? a - b : b - a)
CUDA_SHIM_SIMD_BOTH(__vavgu, unsigned, (a + b + 1) >> 1)
CUDA_SHIM_SIMD_BOTH(__vavgs, signed, (a + b + (a + b >= 0)) >> 1)
CUDA_SHIM_SIMD_BOTH(__vhaddu, unsigned, (a + b) >> 1)
#define CUDA_SHIM_SIMD_COMPARE(suffix, sign, op)                                   \
    CUDA_SHIM_SIMD_BOTH(__vcmp##suffix, sign, a op b ? -1 : 0)                     \
    CUDA_SHIM_SIMD_BOTH(__vset##suffix, sign, a op b ? 1 : 0)
CUDA_SHIM_SIMD_COMPARE(eq, unsigned, ==)
CUDA_SHIM_SIMD_COMPARE(ne, unsigned, !=)
CUDA_SHIM_SIMD_COMPARE(gtu, unsigned, >)
CUDA_SHIM_SIMD_COMPARE(geu, unsigned, >=)
CUDA_SHIM_SIMD_COMPARE(ltu, unsigned, <)
CUDA_SHIM_SIMD_COMPARE(leu, unsigned, <=)
CUDA_SHIM_SIMD_COMPARE(gts, signed, >)
CUDA_SHIM_SIMD_COMPARE(ges, signed, >=)
CUDA_SHIM_SIMD_COMPARE(lts, signed, <)
CUDA_SHIM_SIMD_COMPARE(les, signed, <=)
// Operations of one operand; the saturating ones keep the smallest number in range.
#define CUDA_SHIM_SIMD_ONE(name, lanes, bits, type, expression)                    \
    CUDA_SHIM_SIMD(cuda_shim##name, lanes, bits, type, expression)                 \
    CUDA_SHIM_INLINE unsigned int name(unsigned int x) { return cuda_shim##name(x, x); }
CUDA_SHIM_SIMD_ONE(__vabs4, 4, 8, signed char, cuda_shim_magnitude(a) + 0 * b)
CUDA_SHIM_SIMD_ONE(__vabs2, 2, 16, signed short, cuda_shim_magnitude(a) + 0 * b)
CUDA_SHIM_SIMD_ONE(__vabsss4, 4, 8, signed char, cuda_shim_within(cuda_shim_magnitude(a), 0, 127) + 0 * b)
CUDA_SHIM_SIMD_ONE(__vabsss2, 2, 16, signed short, cuda_shim_within(cuda_shim_magnitude(a), 0, 32767) + 0 * b)
CUDA_SHIM_SIMD_ONE(__vneg4, 4, 8, signed char, -a + 0 * b)
CUDA_SHIM_SIMD_ONE(__vneg2, 2, 16, signed short, -a + 0 * b)
CUDA_SHIM_SIMD_ONE(__vnegss4, 4, 8, signed char, cuda_shim_within(-a, -128, 127) + 0 * b)
CUDA_SHIM_SIMD_ONE(__vnegss2, 2, 16, signed short, cuda_shim_within(-a, -32768, 32767) + 0 * b)
// Sums of the lanes' differences.
#define CUDA_SHIM_SIMD_SAD(name, lanes, bits, type)                                \
    CUDA_SHIM_INLINE unsigned int name(unsigned int x, unsigned int y) {           \
        unsigned int sum = 0;                                                      \
        for (int i = 0; i < lanes; ++i) {                                          \
            const int a = (type)(x >> (bits * i)), b = (type)(y >> (bits * i));    \
            sum += (unsigned int)(a > b ? a - b : b - a);                          \
        }                                                                          \
        return sum;                                                                \
    }
CUDA_SHIM_SIMD_SAD(__vsadu4, 4, 8, unsigned char)
CUDA_SHIM_SIMD_SAD(__vsads4, 4, 8, signed char)
CUDA_SHIM_SIMD_SAD(__vsadu2, 2, 16, unsigned short)
CUDA_SHIM_SIMD_SAD(__vsads2, 2, 16, signed short)

// Minima and maxima of three numbers, of a sum and a number, and maxima with zero; of a word or of its two halves.
// `limit` is max or min.
#define CUDA_SHIM_THREE(limit, op)                                                                                         \
    CUDA_SHIM_INLINE int __vi##limit##3_s32(int a, int b, int c) { return limit(limit(a, b), c); }                         \
    CUDA_SHIM_INLINE unsigned int __vi##limit##3_u32(unsigned int a, unsigned int b, unsigned int c) {                     \
        return limit(limit(a, b), c);                                                                                      \
    }                                                                                                                      \
    CUDA_SHIM_INLINE int __vi##limit##3_s32_relu(int a, int b, int c) { return max(limit(limit(a, b), c), 0); }            \
    CUDA_SHIM_INLINE int __vi##limit##_s32_relu(int a, int b) { return max(limit(a, b), 0); }                              \
    CUDA_SHIM_INLINE int __viadd##limit##_s32(int a, int b, int c) {                                                       \
        return limit((int)((unsigned int)a + (unsigned int)b), c);                                                         \
    }                                                                                                                      \
    CUDA_SHIM_INLINE unsigned int __viadd##limit##_u32(unsigned int a, unsigned int b, unsigned int c) { return limit(a + b, c); } \
    CUDA_SHIM_INLINE int __viadd##limit##_s32_relu(int a, int b, int c) { return max(__viadd##limit##_s32(a, b, c), 0); }  \
    CUDA_SHIM_HALVES_3(__vi##limit##3_s16x2, short, limit(limit(a, b), c))                                                 \
    CUDA_SHIM_HALVES_3(__vi##limit##3_u16x2, unsigned short, limit(limit(a, b), c))                                        \
    CUDA_SHIM_HALVES_3(__vi##limit##3_s16x2_relu, short, max(limit(limit(a, b), c), 0))                                    \
    CUDA_SHIM_HALVES_3(__viadd##limit##_s16x2, short, limit((int)(short)(a + b), c))                                       \
    CUDA_SHIM_HALVES_3(__viadd##limit##_u16x2, unsigned short, limit((int)(unsigned short)(a + b), c))                     \
    CUDA_SHIM_HALVES_3(__viadd##limit##_s16x2_relu, short, max(limit((int)(short)(a + b), c), 0))                          \
    CUDA_SHIM_SIMD(__vi##limit##_s16x2_relu, 2, 16, short, max(limit(a, b), 0))                                            \
    /* Those that say which of both it was; of equal ones the first. */                                                    \
    CUDA_SHIM_INLINE int __vib##limit##_s32(int a, int b, bool* first) { return *first = a op b, limit(a, b); }            \
    CUDA_SHIM_INLINE unsigned int __vib##limit##_u32(unsigned int a, unsigned int b, bool* first) {                        \
        return *first = a op b, limit(a, b);                                                                               \
    }                                                                                                                      \
    CUDA_SHIM_WHICH_HALVES(__vib##limit##_s16x2, short, limit, op)                                                         \
    CUDA_SHIM_WHICH_HALVES(__vib##limit##_u16x2, unsigned short, limit, op)
#define CUDA_SHIM_HALVES_3(name, type, expression)                                                   \
    CUDA_SHIM_INLINE unsigned int name(unsigned int x, unsigned int y, unsigned int z) {             \
        unsigned int result = 0;                                                                     \
        for (int i = 0; i < 32; i += 16) {                                                           \
            const int a = (type)(x >> i), b = (type)(y >> i), c = (type)(z >> i);                    \
            result |= ((unsigned int)(expression) & 0xffffu) << i;                                   \
        }                                                                                            \
        return result;                                                                               \
    }
#define CUDA_SHIM_WHICH_HALVES(name, type, limit, op)                                                \
    CUDA_SHIM_INLINE unsigned int name(unsigned int x, unsigned int y, bool* high, bool* low) {      \
        const int a = (type)x, b = (type)y, c = (type)(x >> 16), d = (type)(y >> 16);                \
        *low = a op b, *high = c op d;                                                               \
        return ((unsigned int)limit(c, d) & 0xffffu) << 16 | ((unsigned int)limit(a, b) & 0xffffu);  \
    }
CUDA_SHIM_THREE(max, >=)
CUDA_SHIM_THREE(min, <=)
