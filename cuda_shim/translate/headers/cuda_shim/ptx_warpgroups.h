// PTX's products of matrices that a warpgroup holds together. A warp has sixteen rows of the product, which its first
// lane computes for all of them. Factors in shared memory are read where the product is issued.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_tensor.h>

namespace cuda_shim_ptx {

// Numbers of eight bits.
struct mma_e5m2 : mma_floats {
    static constexpr int bits = 8;
    static sum number(const void* words, int index) {
        return (double)(float)as<_Float16>((unsigned short)(mma_at<unsigned char>(words, index) << 8));
    }
};
struct mma_e4m3 : mma_floats {
    static constexpr int bits = 8;
    static sum number(const void* words, int index) {
        const unsigned byte = mma_at<unsigned char>(words, index), exponent = byte >> 3 & 15, fraction = byte & 7;
        if ((byte & 0x7f) == 0x7f) return __builtin_nan("");
        const double magnitude = exponent ? (8 + fraction) * (double)(1u << exponent) / 1024 : fraction / 512.0;
        return byte & 0x80 ? -magnitude : magnitude;
    }
};

// A matrix in shared memory, as the descriptor of 64 bits has it: the low 18 bits of its address, and its strides.
struct warpgroup_matrix {
    char* start;
    unsigned leading, stride, width;  // bytes; width: of a swizzled row, 16 where pieces are not exchanged
};
CUDA_SHIM_PTX char* place_of_descriptor(unsigned low) {
    constexpr unsigned mask = 0x3ffff;
    char *fixed = (char*)&cuda_shim_block_dim, *dynamic = (char*)cuda_shim_run->dynamic_shared;
    const unsigned in_dynamic = (low - (unsigned)(unsigned long)dynamic) & mask;
    if (dynamic && in_dynamic < cuda_shim_run->dynamic_shared_bytes) return dynamic + in_dynamic;
    const int from_fixed = (int)((low - (unsigned)(unsigned long)fixed) << 14) >> 14;  // with the sign of 18 bits
    return fixed + from_fixed;
}
CUDA_SHIM_PTX warpgroup_matrix matrix_of(unsigned long long descriptor) {
    constexpr unsigned widths[] = {16, 128, 64, 32};
    return {place_of_descriptor((unsigned)(descriptor & 0x3fff) << 4), (unsigned)(descriptor >> 16 & 0x3fff) << 4,
            (unsigned)(descriptor >> 32 & 0x3fff) << 4, widths[descriptor >> 62]};
}

// The place of the 16 bytes with an element, where `line` counts rows of a or columns of b, and `byte` is its offset
// among the bytes of its line. Eight lines are neighbours.
CUDA_SHIM_PTX char* line_place(const warpgroup_matrix& matrix, unsigned line, unsigned byte) {
    const unsigned piece = byte / 16 * (matrix.width == 16 ? matrix.leading : 16);
    return matrix.start + line % 8 * matrix.width + line / 8 * matrix.stride + piece + byte % 16;
}
// The same where neighbours in memory are of neighbouring lines: `byte` is the offset among the lines.
CUDA_SHIM_PTX char* transposed_place(const warpgroup_matrix& matrix, unsigned byte, unsigned depth) {
    const bool plain = matrix.width == 16;
    return matrix.start + byte % matrix.width + byte / matrix.width * (plain ? matrix.stride : matrix.leading) +
           depth % 8 * matrix.width + depth / 8 * (plain ? matrix.leading : matrix.stride);
}
CUDA_SHIM_PTX const char* exchanged(const warpgroup_matrix& matrix, char* place) {
    const unsigned long at = (unsigned long)place;
    return (const char*)(at ^ ((at >> 7 & (matrix.width / 16 - 1)) << 4));
}
template <class Type> CUDA_SHIM_PTX typename Type::sum matrix_element(const warpgroup_matrix& matrix, unsigned line, unsigned depth, bool transposed) {
    if constexpr (Type::bits < 8) {
        const char* at = exchanged(matrix, line_place(matrix, line, depth * Type::bits / 8));
        return Type::number(at, depth % (8 / Type::bits));
    } else {
        constexpr unsigned bytes = Type::bits / 8;
        const char* at = exchanged(matrix, transposed ? transposed_place(matrix, line * bytes, depth) : line_place(matrix, line, depth * bytes));
        return Type::number(at, 0);
    }
}

// A factor's descriptor, or the registers of a; whether it is transposed, and its sign.
struct warpgroup_factor {
    unsigned long long descriptor;
    bool transposed, negated;
};
struct warpgroup_lane {
    const unsigned* a;
    unsigned* d;
};

// d = a * b, with d added where it accumulates, for the sixteen rows of a warp.
template <class A, class B, class D, int Columns, int K, bool Saturated>
static __device__ __attribute__((noinline)) void warpgroup_rows(
    const unsigned long* lanes, unsigned warp, warpgroup_factor left_factor, warpgroup_factor right_factor, bool accumulates) {
    typedef typename A::sum sum;
    typedef typename A::vector vector;
    constexpr int in_a = 32 / A::bits, tile = 8;
    const auto of = [&](int lane) -> const warpgroup_lane& { return *(const warpgroup_lane*)lanes[lane]; };
    const bool in_registers = of(0).a != nullptr;
    const warpgroup_matrix left_matrix = in_registers ? warpgroup_matrix{} : matrix_of(left_factor.descriptor);
    const warpgroup_matrix right_matrix = matrix_of(right_factor.descriptor);
    const bool negates = left_factor.negated != right_factor.negated;
    sum left[16][K];
    vector right[K], sums[16];
    for (int row = 0; row < 16; ++row)
        for (int k = 0; k < K; ++k) {
            const sum number = in_registers ? A::number(of(row % 8 * 4 + k % (4 * in_a) / in_a).a + k / (4 * in_a) * 2 + row / 8, k % in_a)
                                            : matrix_element<A>(left_matrix, warp * 16 + row, k, left_factor.transposed);
            left[row][k] = negates ? -number : number;
        }
    for (int column = 0; column < Columns; column += tile) {
        for (int k = 0; k < K; ++k)
            for (int i = 0; i < tile; ++i) right[k][i] = matrix_element<B>(right_matrix, column + i, k, right_factor.transposed);
        const auto before = [&](int lane, int i) { return accumulates ? D::number(of(lane).d, column / 2 + i) : 0; };
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 4; ++i) sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = A::from_c ? (sum)before(lane, i) : 0;
        for (int row = 0; row < 16; row += 4)  // four rows at a time have their sums in registers
            for (int k = 0; k < K; ++k)
                for (int r = row; r < row + 4; ++r) A::add(sums[r], left[r][k], right[k]);
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 4; ++i) {
                const sum total = sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
                D::put(of(lane).d, column / 2 + i, A::from_c ? total : before(lane, i) + total, Saturated);
            }
    }
}

// The lanes of a warp meet, the first one computes for all of them, and they meet again.
template <class A, class B, class D, int Columns, int K, bool Saturated, int Count>
CUDA_SHIM_PTX void warpgroup_multiply(unsigned (&d)[Count], const unsigned* a, warpgroup_factor left, warpgroup_factor right, bool accumulates) {
    const warpgroup_lane mine = {a, d};
    unsigned long active;
    const unsigned long* lanes = cuda_shim_warp_exchange((unsigned long)&mine, 0xffffffffull, &active);
    const unsigned thread = cuda_shim_linear_thread();
    if (thread % 32 == 0) warpgroup_rows<A, B, D, Columns, K, Saturated>(lanes, thread / 32 % 4, left, right, accumulates);
    __syncwarp();
}

}  // namespace cuda_shim_ptx
