// The nearest float of the 19 bits that products of tf32 read. Included within nvcuda::wmma, which has the function.

CUDA_PORTABLE_INLINE float __float_to_tf32(float x) {
    unsigned int bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    bits = (bits + 0x1000u) & 0xffffe000u;
    float rounded;
    __builtin_memcpy(&rounded, &bits, sizeof(rounded));
    return x != x ? x : rounded;
}
