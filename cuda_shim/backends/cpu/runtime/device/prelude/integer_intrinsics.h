// Intrinsics on integers: bit counts, byte permutes, wide products, saturating and packed arithmetic.
#pragma once

CUDA_SHIM_INLINE int __popc(unsigned int x) { return __builtin_popcount(x); }
CUDA_SHIM_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
CUDA_SHIM_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
CUDA_SHIM_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
// Overloads for both widths of a lane mask: a ballot's result fits either.
CUDA_SHIM_INLINE int __ffs(int x) { return __builtin_ffs(x); }
CUDA_SHIM_INLINE int __ffs(unsigned int x) { return __builtin_ffs((int)x); }
CUDA_SHIM_INLINE int __ffs(long long x) { return __builtin_ffsll(x); }
CUDA_SHIM_INLINE int __ffs(unsigned long long x) { return __builtin_ffsll((long long)x); }
CUDA_SHIM_INLINE int __ffs(long x) { return __builtin_ffsll(x); }
CUDA_SHIM_INLINE int __ffs(unsigned long x) { return __builtin_ffsll((long long)x); }
CUDA_SHIM_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
CUDA_SHIM_INLINE unsigned int __brev(unsigned int x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x);
}
CUDA_SHIM_INLINE unsigned long long __brevll(unsigned long long x) {
    return ((unsigned long long)__brev((unsigned int)x) << 32) | __brev((unsigned int)(x >> 32));
}
CUDA_SHIM_INLINE int __fns(unsigned int mask, unsigned int base, int offset) {
    const int step = offset < 0 ? -1 : 1;
    int wanted = offset < 0 ? -offset : offset;
    if (wanted == 0) return (mask >> base) & 1 ? (int)base : -1;
    for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
        if (((mask >> bit) & 1) && --wanted == 0) return bit;
    return -1;
}
CUDA_SHIM_INLINE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
    const unsigned long long bytes = ((unsigned long long)b << 32) | a;
    unsigned int result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned int pick = (selector >> (4 * i)) & 7;  // the fourth bit of each is ignored, unlike PTX's prmt
        result |= (unsigned int)(bytes >> (8 * pick) & 0xff) << (8 * i);
    }
    return result;
}
CUDA_SHIM_INLINE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
CUDA_SHIM_INLINE unsigned int __umulhi(unsigned int a, unsigned int b) {
    return (unsigned int)(((unsigned long long)a * b) >> 32);
}
CUDA_SHIM_INLINE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
CUDA_SHIM_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
CUDA_SHIM_INLINE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
CUDA_SHIM_INLINE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
CUDA_SHIM_INLINE unsigned int __sad(int a, int b, unsigned int c) {
    return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c;
}
CUDA_SHIM_INLINE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
CUDA_SHIM_INLINE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CUDA_SHIM_INLINE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
CUDA_SHIM_INLINE unsigned int __uhadd(unsigned int a, unsigned int b) {
    return (unsigned int)(((unsigned long long)a + b) >> 1);
}
CUDA_SHIM_INLINE unsigned int __urhadd(unsigned int a, unsigned int b) {
    return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}
CUDA_SHIM_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    shift &= 31;
    return (unsigned int)((((((unsigned long long)high << 32) | low) << shift)) >> 32);
}
CUDA_SHIM_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return (unsigned int)((((unsigned long long)high << 32) | low) >> (shift & 31));
}
CUDA_SHIM_INLINE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
CUDA_SHIM_INLINE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
CUDA_SHIM_INLINE int cuda_shim_byte(int word, int i) { return (signed char)(word >> (8 * i)); }
CUDA_SHIM_INLINE unsigned int cuda_shim_ubyte(unsigned int word, int i) { return (word >> (8 * i)) & 0xff; }
CUDA_SHIM_INLINE int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; ++i) c += cuda_shim_byte(a, i) * cuda_shim_byte(b, i);
    return c;
}
CUDA_SHIM_INLINE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    for (int i = 0; i < 4; ++i) c += cuda_shim_ubyte(a, i) * cuda_shim_ubyte(b, i);
    return c;
}
CUDA_SHIM_INLINE int __dp2a_lo(int a, int b, int c) {
    return c + (short)a * cuda_shim_byte(b, 0) + (short)(a >> 16) * cuda_shim_byte(b, 1);
}
CUDA_SHIM_INLINE int __dp2a_hi(int a, int b, int c) {
    return c + (short)a * cuda_shim_byte(b, 2) + (short)(a >> 16) * cuda_shim_byte(b, 3);
}

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
// Of one operand; the saturating ones keep the smallest number in range.
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
