// What matrices of a warp have on both runtimes (mma.h). Included within nvcuda::wmma.

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

// The nearest float of the 19 bits that products of tf32 read.
CUDA_PORTABLE_INLINE float __float_to_tf32(float x) {
    unsigned int bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    bits = (bits + 0x1000u) & 0xffffe000u;
    float rounded;
    __builtin_memcpy(&rounded, &bits, sizeof(rounded));
    return x != x ? x : rounded;
}
