// The bits of IEEE half precision: conversions, and a product and a sum that are rounded once.
#pragma once

#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_UNCONTRACTED _Pragma("clang fp contract(off)")
#else
#define CUDA_SHIM_UNCONTRACTED
#endif
#if defined(__F16C__) && !defined(CUDA_SHIM_CLANG)
// The processor's instructions: GCC makes two conversions in a row, from half to double, a call of one function.
typedef short cuda_shim_eight_halves __attribute__((vector_size(16)));
typedef float cuda_shim_four_floats __attribute__((vector_size(16)));
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) {
    return __builtin_ia32_vcvtph2ps(cuda_shim_eight_halves{(short)h})[0];
}
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) {
    return (unsigned short)__builtin_ia32_vcvtps2ph(cuda_shim_four_floats{x}, 0)[0];
}
#elif defined(__FLT16_MANT_DIG__)
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) {
    CUDA_SHIM_UNCONTRACTED
    return __builtin_bit_cast(unsigned short, (_Float16)x);
}
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) { return (float)__builtin_bit_cast(_Float16, h); }
#else
// The same by arithmetic.
CUDA_SHIM_INLINE float cuda_shim_from_half(unsigned short h) {
    const unsigned int sign = (h & 0x8000u) << 16, magnitude = (h & 0x7fffu) << 13;
    const unsigned int finite = cuda_shim_bits<unsigned int>(cuda_shim_bits<float>(magnitude) * 0x1p112f);
    return cuda_shim_bits<float>(sign | ((h & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : finite));
}
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(float x) {
    const unsigned int bits = cuda_shim_bits<unsigned int>(x), magnitude = bits & 0x7fffffffu;
    // Rounded to even as whole numbers: a carry into the exponent comes out right, since the fields are adjacent.
    const unsigned int normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
    // The unit of 0.5f is the least half: the host rounds.
    const unsigned int small = cuda_shim_bits<unsigned int>(cuda_shim_bits<float>(magnitude) + 0.5f) - 0x3f000000u;
    const unsigned int finite = magnitude < 0x38800000u ? small : normal;
    const unsigned int special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return (unsigned short)(((bits >> 16) & 0x8000u) | (magnitude >= 0x477ff000u ? special : finite));
}
#endif
// Converts by way of a float that is rounded to odd: its last bit is set if any of the dropped bits was, so that only
// the second rounding rounds. Numbers beyond a float's exponents are zero or too large for a half either way. No
// processor converts doubles to halves, and a call would keep compilers from vectorising: where operations may be
// contracted, some compilers merge the two conversions.
CUDA_SHIM_INLINE unsigned short cuda_shim_to_half(double x) {
    CUDA_SHIM_UNCONTRACTED
    const unsigned long long bits = cuda_shim_bits<unsigned long long>(x), lost = bits & 0x1fffffffull;
    return cuda_shim_to_half((float)cuda_shim_bits<double>((bits ^ lost) | ((lost + 0x1fffffffull) & 0x20000000ull)));
}
// A float that is rounded to odd, of one that is rounded to nearest and the error of that.
CUDA_SHIM_INLINE float cuda_shim_to_odd(float nearest, float error) {
    const unsigned int bits = cuda_shim_bits<unsigned int>(nearest);
    const unsigned int towards = (error > 0) == (nearest > 0) ? 1u : ~0u;
    return cuda_shim_bits<float>(bits + ((((error < 0) | (error > 0)) & ~bits & 1) ? towards : 0u));
}
// a * b + c, rounded once. The product of two halves is exact as a float. Of a sum that is rounded to odd, a float keeps
// enough bits for the second rounding to be the only one.
CUDA_SHIM_INLINE unsigned short cuda_shim_fused_half(unsigned short a, unsigned short b, unsigned short c) {
#if defined(__AVX512FP16__) && defined(CUDA_SHIM_CLANG)
    return __builtin_bit_cast(unsigned short, __builtin_fmaf16(__builtin_bit_cast(_Float16, a), __builtin_bit_cast(_Float16, b),
                                                               __builtin_bit_cast(_Float16, c)));
#elif defined(CUDA_SHIM_FAST_MATH)  // compilers may then take a rounding error for zero; a double has no error to lose
    return cuda_shim_to_half((double)cuda_shim_from_half(a) * cuda_shim_from_half(b) + (double)cuda_shim_from_half(c));
#else
    const float product = cuda_shim_from_half(a) * cuda_shim_from_half(b), summand = cuda_shim_from_half(c);
    // Nothing that compilers may contract changes the error: the product is exact either way.
    const float sum = product + summand, shared = sum - product, rest = sum - shared;
    return cuda_shim_to_half(cuda_shim_to_odd(sum, (product - rest) + (summand - shared)));
#endif
}
