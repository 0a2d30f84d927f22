// Functions of plain integers: minima and maxima by type, sums of distances, dot products of small integers.
//
// Headers of this folder are plain C++ for host cores and for AMD GPUs. Each side defines first how a function is
// declared and named there: CUDA_PORTABLE_INLINE, CUDA_PORTABLE_FACT(fact) for a fact about the function
// (prelude/qualifiers.h), CUDA_PORTABLE_FUNCTION(name) for a function of CUDA, CUDA_PORTABLE_INTRINSIC(name) for one whose
// name begins with two underscores, and CUDA_PORTABLE_HELPER(name) for names that no program uses.
#pragma once

template <class T> CUDA_PORTABLE_INLINE T CUDA_PORTABLE_HELPER(larger)(T a, T b) { return a < b ? b : a; }
template <class T> CUDA_PORTABLE_INLINE T CUDA_PORTABLE_HELPER(smaller)(T a, T b) { return b < a ? b : a; }

#define CUDA_PORTABLE_MIN_MAX(min, max, T)                                                                            \
    CUDA_PORTABLE_FACT(pure) CUDA_PORTABLE_INLINE T CUDA_PORTABLE_FUNCTION(min)(T a, T b) {                           \
        return CUDA_PORTABLE_HELPER(smaller)(a, b);                                                                   \
    }                                                                                                                 \
    CUDA_PORTABLE_FACT(pure) CUDA_PORTABLE_INLINE T CUDA_PORTABLE_FUNCTION(max)(T a, T b) {                           \
        return CUDA_PORTABLE_HELPER(larger)(a, b);                                                                    \
    }
CUDA_PORTABLE_MIN_MAX(umin, umax, unsigned int)
CUDA_PORTABLE_MIN_MAX(llmin, llmax, long long)
CUDA_PORTABLE_MIN_MAX(ullmin, ullmax, unsigned long long)
#undef CUDA_PORTABLE_MIN_MAX

// The distance of two numbers is unsigned: a signed difference may overflow.
CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(sad)(int a, int b, unsigned int c) {
    return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c;
}
CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(usad)(unsigned int a, unsigned int b, unsigned int c) {
    return (a > b ? a - b : b - a) + c;
}

CUDA_PORTABLE_INLINE int CUDA_PORTABLE_HELPER(byte)(int word, int i) { return (signed char)(word >> (8 * i)); }
CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_HELPER(ubyte)(unsigned int word, int i) {
    return (word >> (8 * i)) & 0xff;
}
// The bits of a vector of small integers.
template <class Word, class Vector> CUDA_PORTABLE_INLINE Word CUDA_PORTABLE_HELPER(packed_word)(Vector vector) {
    static_assert(sizeof(Word) == sizeof(Vector), "the vector fills a word");
    Word word;
    __builtin_memcpy(&word, &vector, sizeof(Word));
    return word;
}
// Four bytes of `a` times those of `b`, and two 16-bit integers of `a` times the lower or the upper two bytes of `b`.
CUDA_PORTABLE_INLINE int CUDA_PORTABLE_INTRINSIC(dp4a)(int a, int b, int c) {
    for (int i = 0; i < 4; ++i) c += CUDA_PORTABLE_HELPER(byte)(a, i) * CUDA_PORTABLE_HELPER(byte)(b, i);
    return c;
}
CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(dp4a)(unsigned int a, unsigned int b, unsigned int c) {
    for (int i = 0; i < 4; ++i) c += CUDA_PORTABLE_HELPER(ubyte)(a, i) * CUDA_PORTABLE_HELPER(ubyte)(b, i);
    return c;
}
CUDA_PORTABLE_INLINE int CUDA_PORTABLE_INTRINSIC(dp2a_lo)(int a, int b, int c) {
    return c + (short)a * CUDA_PORTABLE_HELPER(byte)(b, 0) + (short)(a >> 16) * CUDA_PORTABLE_HELPER(byte)(b, 1);
}
CUDA_PORTABLE_INLINE int CUDA_PORTABLE_INTRINSIC(dp2a_hi)(int a, int b, int c) {
    return c + (short)a * CUDA_PORTABLE_HELPER(byte)(b, 2) + (short)(a >> 16) * CUDA_PORTABLE_HELPER(byte)(b, 3);
}
CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(dp2a_lo)(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xffff) * CUDA_PORTABLE_HELPER(ubyte)(b, 0) + (a >> 16) * CUDA_PORTABLE_HELPER(ubyte)(b, 1);
}
CUDA_PORTABLE_INLINE unsigned int CUDA_PORTABLE_INTRINSIC(dp2a_hi)(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xffff) * CUDA_PORTABLE_HELPER(ubyte)(b, 2) + (a >> 16) * CUDA_PORTABLE_HELPER(ubyte)(b, 3);
}
// The same of vectors, whose bits the words are.
#define CUDA_PORTABLE_DOT(name, First, Second, T)                                                                     \
    CUDA_PORTABLE_INLINE T CUDA_PORTABLE_INTRINSIC(name)(First a, Second b, T c) {                                    \
        return CUDA_PORTABLE_INTRINSIC(name)(CUDA_PORTABLE_HELPER(packed_word)<T>(a), CUDA_PORTABLE_HELPER(packed_word)<T>(b), c);  \
    }
CUDA_PORTABLE_DOT(dp4a, char4, char4, int)
CUDA_PORTABLE_DOT(dp4a, uchar4, uchar4, unsigned int)
CUDA_PORTABLE_DOT(dp2a_lo, short2, char4, int)
CUDA_PORTABLE_DOT(dp2a_lo, ushort2, uchar4, unsigned int)
CUDA_PORTABLE_DOT(dp2a_hi, short2, char4, int)
CUDA_PORTABLE_DOT(dp2a_hi, ushort2, uchar4, unsigned int)
#undef CUDA_PORTABLE_DOT
