// Arithmetic on the four bytes or the two halves of a word, lane by lane: __vadd4, __vcmpeq2, ….
#pragma once

CUDA_PORTABLE_INLINE int CUDA_PORTABLE_HELPER(within)(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
CUDA_PORTABLE_INLINE int CUDA_PORTABLE_HELPER(magnitude)(int x) { return x < 0 ? -x : x; }

// The expression of a lane `a` of x, and `b` of y, whose low bits are the result's lane.
#define CUDA_PORTABLE_PACKED(name, lanes, bits, type, expression)                                           \
    CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(name)(unsigned int x, unsigned int y) {       \
        unsigned int result = 0;                                                                            \
        const unsigned int ones = (1u << bits) - 1;                                                         \
        for (int i = 0; i < lanes; ++i) {                                                                   \
            const int a = (type)(x >> (bits * i)), b = (type)(y >> (bits * i));                             \
            result |= ((unsigned int)(expression) & ones) << (bits * i);                                    \
        }                                                                                                   \
        return result;                                                                                      \
    }
#define CUDA_PORTABLE_PACKED_BOTH(name, sign, expression)                                                   \
    CUDA_PORTABLE_PACKED(name##4, 4, 8, sign char, expression)                                              \
    CUDA_PORTABLE_PACKED(name##2, 2, 16, sign short, expression)
// Saturating forms name the limits of their lanes.
#define CUDA_PORTABLE_PACKED_LIMITED(name, sign, low4, high4, low2, high2, expression)                      \
    CUDA_PORTABLE_PACKED(name##4, 4, 8, sign char, CUDA_PORTABLE_HELPER(within)(expression, low4, high4))   \
    CUDA_PORTABLE_PACKED(name##2, 2, 16, sign short, CUDA_PORTABLE_HELPER(within)(expression, low2, high2))
CUDA_PORTABLE_PACKED_BOTH(vadd, unsigned, a + b)
CUDA_PORTABLE_PACKED_BOTH(vsub, unsigned, a - b)
CUDA_PORTABLE_PACKED_LIMITED(vaddus, unsigned, 0, 255, 0, 65535, a + b)
CUDA_PORTABLE_PACKED_LIMITED(vsubus, unsigned, 0, 255, 0, 65535, a - b)
CUDA_PORTABLE_PACKED_LIMITED(vaddss, signed, -128, 127, -32768, 32767, a + b)
CUDA_PORTABLE_PACKED_LIMITED(vsubss, signed, -128, 127, -32768, 32767, a - b)
CUDA_PORTABLE_PACKED_BOTH(vmaxu, unsigned, a > b ? a : b)
CUDA_PORTABLE_PACKED_BOTH(vminu, unsigned, a < b ? a : b)
CUDA_PORTABLE_PACKED_BOTH(vmaxs, signed, a > b ? a : b)
CUDA_PORTABLE_PACKED_BOTH(vmins, signed, a < b ? a : b)
CUDA_PORTABLE_PACKED_BOTH(vabsdiffu, unsigned, a > b ? a - b : b - a)
CUDA_PORTABLE_PACKED_BOTH(vabsdiffs, signed, a > b ? a - b : b - a)
CUDA_PORTABLE_PACKED_BOTH(vavgu, unsigned, (a + b + 1) >> 1)
CUDA_PORTABLE_PACKED_BOTH(vavgs, signed, (a + b + (a + b >= 0)) >> 1)
CUDA_PORTABLE_PACKED_BOTH(vhaddu, unsigned, (a + b) >> 1)
#undef CUDA_PORTABLE_PACKED_LIMITED

#define CUDA_PORTABLE_PACKED_COMPARE(suffix, sign, op)                                                      \
    CUDA_PORTABLE_PACKED_BOTH(vcmp##suffix, sign, a op b ? -1 : 0)                                          \
    CUDA_PORTABLE_PACKED_BOTH(vset##suffix, sign, a op b ? 1 : 0)
CUDA_PORTABLE_PACKED_COMPARE(eq, unsigned, ==)
CUDA_PORTABLE_PACKED_COMPARE(ne, unsigned, !=)
CUDA_PORTABLE_PACKED_COMPARE(gtu, unsigned, >)
CUDA_PORTABLE_PACKED_COMPARE(geu, unsigned, >=)
CUDA_PORTABLE_PACKED_COMPARE(ltu, unsigned, <)
CUDA_PORTABLE_PACKED_COMPARE(leu, unsigned, <=)
CUDA_PORTABLE_PACKED_COMPARE(gts, signed, >)
CUDA_PORTABLE_PACKED_COMPARE(ges, signed, >=)
CUDA_PORTABLE_PACKED_COMPARE(lts, signed, <)
CUDA_PORTABLE_PACKED_COMPARE(les, signed, <=)
#undef CUDA_PORTABLE_PACKED_COMPARE
#undef CUDA_PORTABLE_PACKED_BOTH

// Operations of one operand; the saturating ones keep the smallest number in range.
#define CUDA_PORTABLE_PACKED_ONE(name, lanes, bits, type, expression)                                       \
    CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(name)(unsigned int x) {                       \
        unsigned int result = 0;                                                                            \
        const unsigned int ones = (1u << bits) - 1;                                                         \
        for (int i = 0; i < lanes; ++i) {                                                                   \
            const int a = (type)(x >> (bits * i));                                                          \
            result |= ((unsigned int)(expression) & ones) << (bits * i);                                    \
        }                                                                                                   \
        return result;                                                                                      \
    }
#define CUDA_PORTABLE_PACKED_SIGNS(count, bits, type, low, high)                                            \
    CUDA_PORTABLE_PACKED_ONE(vabs##count, count, bits, type, CUDA_PORTABLE_HELPER(magnitude)(a))            \
    CUDA_PORTABLE_PACKED_ONE(vabsss##count, count, bits, type,                                              \
                             CUDA_PORTABLE_HELPER(within)(CUDA_PORTABLE_HELPER(magnitude)(a), 0, high))     \
    CUDA_PORTABLE_PACKED_ONE(vneg##count, count, bits, type, -a)                                            \
    CUDA_PORTABLE_PACKED_ONE(vnegss##count, count, bits, type, CUDA_PORTABLE_HELPER(within)(-a, low, high))
CUDA_PORTABLE_PACKED_SIGNS(4, 8, signed char, -128, 127)
CUDA_PORTABLE_PACKED_SIGNS(2, 16, signed short, -32768, 32767)
#undef CUDA_PORTABLE_PACKED_SIGNS
#undef CUDA_PORTABLE_PACKED_ONE

// Sums of the lanes' differences.
#define CUDA_PORTABLE_PACKED_SUM(name, lanes, bits, type)                                                   \
    CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(name)(unsigned int x, unsigned int y) {       \
        unsigned int sum = 0;                                                                               \
        for (int i = 0; i < lanes; ++i) {                                                                   \
            const int a = (type)(x >> (bits * i)), b = (type)(y >> (bits * i));                             \
            sum += (unsigned int)(a > b ? a - b : b - a);                                                   \
        }                                                                                                   \
        return sum;                                                                                         \
    }
CUDA_PORTABLE_PACKED_SUM(vsadu4, 4, 8, unsigned char)
CUDA_PORTABLE_PACKED_SUM(vsads4, 4, 8, signed char)
CUDA_PORTABLE_PACKED_SUM(vsadu2, 2, 16, unsigned short)
CUDA_PORTABLE_PACKED_SUM(vsads2, 2, 16, signed short)
#undef CUDA_PORTABLE_PACKED_SUM
#undef CUDA_PORTABLE_PACKED
