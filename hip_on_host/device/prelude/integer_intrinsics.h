// Intrinsics on integers: bit counts, byte permutes, wide products. (Those that AMD GPUs lack too are in
// ../portable/integer_functions.h, packed ones in simd_intrinsics.h.)
#pragma once
#include "portable_names.h"

#include "../portable/integer_functions.h"

CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __popc(unsigned int x) { return __builtin_popcount(x); }
CUDA_SHIM_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
CUDA_SHIM_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
// Overloads for both widths of a lane mask: a ballot's result fits either.
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __ffs(int x) { return __builtin_ffs(x); }
#if !defined(CUDA_SHIM_CUDA) || CUDA_SHIM_WARP_SIZE != 32  // CUDA has a single one, to which every number converts
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __ffs(unsigned int x) { return __builtin_ffs((int)x); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __ffs(long long x) { return __builtin_ffsll(x); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __ffs(unsigned long long x) { return __builtin_ffsll((long long)x); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __ffs(long x) { return __builtin_ffsll(x); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __ffs(unsigned long x) { return __builtin_ffsll((long long)x); }
#endif
CUDA_SHIM_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE unsigned int __brev(unsigned int x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x);
}
CUDA_SHIM_INLINE unsigned long long __brevll(unsigned long long x) {
    return ((unsigned long long)__brev((unsigned int)x) << 32) | __brev((unsigned int)(x >> 32));
}
CUDA_SHIM_INLINE int __fns(unsigned int mask, unsigned int base, int offset) {
    if (offset == 0) return base < 32 && ((mask >> base) & 1) ? (int)base : -1;
    if (offset == -2147483647 - 1) return 0;  // it has no absolute value: a GPU's answer
    const unsigned int step = offset < 0 ? -1 : 1;
    int wanted = offset < 0 ? -offset : offset;
    for (unsigned int bit = base; bit < 32; bit += step)
        if (((mask >> bit) & 1) && --wanted == 0) return (int)bit;
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
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
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

#ifndef CUDA_SHIM_CUDA
// HIP's: `width` bits from `offset` on, and the same replaced by those of another number.
#define CUDA_SHIM_BIT_FIELDS(T, bits)                                                                   \
    CUDA_SHIM_INLINE T __bitextract_u##bits(T value, unsigned int offset, unsigned int width) {         \
        offset &= bits - 1;                                                                             \
        width &= bits - 1;                                                                              \
        return width == 0 ? 0 : (T)(value << ((bits - offset - width) & (bits - 1))) >> (bits - width); \
    }                                                                                                   \
    CUDA_SHIM_INLINE T __bitinsert_u##bits(T value, T field, unsigned int offset, unsigned int width) { \
        const T mask = ((T)1 << (width & (bits - 1))) - 1;                                              \
        offset &= bits - 1;                                                                             \
        return (value & ~(mask << offset)) | ((field & mask) << offset);                                \
    }
CUDA_SHIM_BIT_FIELDS(unsigned int, 32)
CUDA_SHIM_BIT_FIELDS(unsigned long long, 64)
#endif
