// PTX's products of matrices that a warp holds together, as arithmetic, in the layouts that PTX documents: all elements
// are computed at once, from the registers of all lanes. Sums are rounded once.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_numbers.h>

namespace cuda_shim_ptx {

// Elements of a and b: their bits, the types of products and of sums, and the number at an index of adjacent registers.
// Sums of floats begin with c, in its place in the order; sums of whole numbers are exact in any order.
struct mma_floats {
    typedef double sum;
    static constexpr bool from_c = true;
    static sum add(sum so_far, sum left, sum right) { return so_far + left * right; }
};
template <class T> CUDA_SHIM_PTX T mma_at(const void* words, int index) {
    T bits;
    __builtin_memcpy(&bits, (const char*)words + index * (int)sizeof(T), sizeof(T));
    return bits;
}
struct mma_f16 : mma_floats {
    static constexpr int bits = 16;
    static sum number(const void* words, int index) { return (double)(float)mma_at<_Float16>(words, index); }
};
struct mma_bf16 : mma_floats {
    static constexpr int bits = 16;
    static sum number(const void* words, int index) { return as<float>((unsigned)mma_at<unsigned short>(words, index) << 16); }
};
struct mma_tf32 : mma_floats {  // the hardware reads the upper 19 bits
    static constexpr int bits = 32;
    static sum number(const void* words, int index) { return as<float>(mma_at<unsigned>(words, index) & 0xffffe000u); }
};
struct mma_f64 {  // one rounding for each pair
    static constexpr int bits = 64;
    static constexpr bool from_c = true;
    typedef double sum;
    static sum number(const void* words, int index) { return mma_at<double>(words, index); }
    static sum add(sum so_far, sum left, sum right) { return __builtin_fma(left, right, so_far); }
};
// Integers of 8 and 4 bits; the sign is the upper bit. 64 products of them have no more than 21 bits.
template <int Bits, bool Signed> struct mma_integer {
    static constexpr int bits = Bits;
    static constexpr bool from_c = false;
    typedef int sum;
    static sum number(const void* words, int index) {
        if constexpr (Bits == 8) return Signed ? (sum)mma_at<signed char>(words, index) : (sum)mma_at<unsigned char>(words, index);
        const unsigned top = (unsigned)mma_at<unsigned char>(words, index / 2) << (index % 2 ? 24 : 28);
        return Signed ? (sum)top >> 28 : (sum)(top >> 28);
    }
    static sum add(sum so_far, sum left, sum right) { return so_far + left * right; }
};
typedef mma_integer<8, true> mma_s8;
typedef mma_integer<8, false> mma_u8;
typedef mma_integer<4, true> mma_s4;
typedef mma_integer<4, false> mma_u4;
// Single bits: the sum counts the bits that differ, or that are both set.
template <bool Both> struct mma_bit {
    static constexpr int bits = 1;
    static constexpr bool from_c = false;
    typedef int sum;
    static sum number(const void* words, int index) { return mma_at<unsigned char>(words, index / 8) >> index % 8 & 1; }
    static sum add(sum so_far, sum left, sum right) { return so_far + (Both ? left & right : left ^ right); }
};
typedef mma_bit<false> mma_b1_xor;
typedef mma_bit<true> mma_b1_and;

// Elements of c and d: reading and writing the number at an index of adjacent registers.
struct mma_in_f32 {
    static constexpr int bits = 32;
    static double number(const void* words, int index) { return mma_at<float>(words, index); }
    static void put(void* words, int index, double value, bool) { store(words, index, (float)value); }
    template <class T> static void store(void* words, int index, T value) {
        __builtin_memcpy((char*)words + index * (int)sizeof(T), &value, sizeof(T));
    }
};
struct mma_in_f16 {
    static constexpr int bits = 16;
    static double number(const void* words, int index) { return mma_f16::number(words, index); }
    static void put(void* words, int index, double value, bool) { mma_in_f32::store(words, index, (_Float16)value); }
};
struct mma_in_s32 {
    static constexpr int bits = 32;
    static long long number(const void* words, int index) { return mma_at<int>(words, index); }
    static void put(void* words, int index, long long value, bool saturated) {
        if (saturated) value = value > 0x7fffffffll ? 0x7fffffffll : value < -0x80000000ll ? -0x80000000ll : value;
        mma_in_f32::store(words, index, (unsigned)value);
    }
};
struct mma_in_f64 {
    static constexpr int bits = 64;
    static double number(const void* words, int index) { return mma_at<double>(words, index); }
    static void put(void* words, int index, double value, bool) { mma_in_f32::store(words, index, value); }
};

template <bool Wide> struct mma_word {
    typedef unsigned type;
};
template <> struct mma_word<true> {
    typedef unsigned long long type;
};

// d = a * b + c of M x N elements, K deep, in the order of k: a function of a warp's registers (cuda_shim_by_warp), those
// of a first, then b and c. A register of all 32 lanes is a tile: of 8 rows of a, of 8 columns of b, each row or column
// with its elements side by side; of 8 rows of c and d, in which a lane has two neighbours, one in each of two registers
// where they fill one each.
template <class A, class B, class C, class D, int M, int N, int K, bool Saturated> struct matrix_product {
    typedef typename mma_word<A::bits == 64>::type operand, result;
    static constexpr int width = sizeof(operand) * 8;
    typedef typename A::sum sum;
    static constexpr int in_a = width / A::bits, in_b = width / B::bits;  // elements of a register
    static constexpr int rows = M / 8, columns = N / 8;                   // tiles
    static constexpr int of_a = M * K / (32 * in_a), of_b = N * K / (32 * in_b);
    static constexpr int of_c = M * N * C::bits / (32 * width), out = M * N * D::bits / (32 * width);
    static constexpr int in = of_a + of_b + of_c;

    template <int Stride> static void run(const operand* words, result* results) {
        sum left[M][K], right[K][N], sums[M][N];
        for (int tile = 0; tile < of_a; ++tile)
            for (int row = 0; row < 8; ++row)
                for (int k = 0; k < 4 * in_a; ++k)
                    left[tile % rows * 8 + row][tile / rows * 4 * in_a + k] = A::number(words + tile * Stride, row * 4 * in_a + k);
        for (int tile = 0; tile < of_b; ++tile)
            for (int column = 0; column < 8; ++column)
                for (int k = 0; k < 4 * in_b; ++k)
                    right[tile % (of_b / columns) * 4 * in_b + k][tile / (of_b / columns) * 8 + column] =
                        B::number(words + (of_a + tile) * Stride, column * 4 * in_b + k);
        for (int row = 0; row < M; ++row)
            for (int column = 0; column < N; ++column)
                sums[row][column] = A::from_c ? (sum)C::number(words + (of_a + of_b) * Stride, place<C, Stride>(row, column)) : 0;
        for (int row = 0; row < M; row += 4)  // four rows at a time have their sums in registers
            for (int tile = 0; tile < N; tile += 8)
                for (int k = 0; k < K; ++k)
                    for (int r = row; r < row + 4; ++r)
                        for (int column = tile; column < tile + 8; ++column)
                            sums[r][column] = A::add(sums[r][column], left[r][k], right[k][column]);
        for (int row = 0; row < M; ++row)
            for (int column = 0; column < N; ++column) {
                const auto before = C::number(words + (of_a + of_b) * Stride, place<C, Stride>(row, column));
                D::put(results, place<D, Stride>(row, column), A::from_c ? sums[row][column] : before + sums[row][column], Saturated);
            }
    }

    // The index of an element of c or d among those of adjacent registers.
    template <class E, int Stride> static constexpr int place(int row, int column) {
        constexpr int per_word = width / E::bits, words = 2 / per_word;  // of two neighbours
        const int lane = row % 8 * 4 + column % 8 / 2, tile = column / 8 * rows + row / 8;
        const int word = words * tile + column % words;
        return (word * Stride + lane) * per_word + (per_word == 2 ? column % 2 : 0);
    }
};

// For inline PTX in CUDA C++, whose registers are variables of any name.
template <class A, class B, class C, class D, int M, int N, int K, bool Saturated, class Word, int CountA, int CountB, int CountC, int CountD>
CUDA_SHIM_PTX void mma(const Word (&a)[CountA], const Word (&b)[CountB], const Word (&c)[CountC], Word (&d)[CountD]) {
    cuda_shim_words<Word, CountA + CountB + CountC> mine;
    for (int i = 0; i < CountA; ++i) mine.value[i] = a[i];
    for (int i = 0; i < CountB; ++i) mine.value[CountA + i] = b[i];
    for (int i = 0; i < CountC; ++i) mine.value[CountA + CountB + i] = c[i];
    const auto result = cuda_shim_by_warp<matrix_product<A, B, C, D, M, N, K, Saturated>>(mine);
    for (int i = 0; i < CountD; ++i) d[i] = result.value[i];
}

// The pointer to shared memory for an address of which programs keep 32 bits. Static and dynamic shared memory have two
// bases: the nearer one is meant.
template <class T> CUDA_SHIM_PTX char* shared_place(T number, long offset) {
    if (sizeof(T) > 4 && ((unsigned long)number >> 32) != 0) return (char*)(unsigned long)number + offset;
    const unsigned low = (unsigned)(unsigned long)number;
    char *fixed = (char*)&cuda_shim_block_dim, *dynamic = (char*)cuda_shim_run->dynamic_shared;
    const int from_fixed = (int)(low - (unsigned)(unsigned long)fixed), from_dynamic = (int)(low - (unsigned)(unsigned long)dynamic);
    const bool nearer = !dynamic || __builtin_labs(from_fixed) <= __builtin_labs(from_dynamic);
    return (nearer ? fixed + from_fixed : dynamic + from_dynamic) + offset;
}

// The copy is done at once, so that waiting for copies is a no-op. The bytes beyond `given` become zero.
template <int Bytes, class From> CUDA_SHIM_PTX void copy_async(char* to, From* from, unsigned given) {
    for (unsigned i = 0; i < Bytes; ++i) to[i] = i < given ? ((const char*)from)[i] : 0;
}
CUDA_SHIM_PTX void copies_are_made() {}

// Lane 8 * m + r names row r of matrix m; each lane gets two neighbours of a row, of a column where it is transposed.
// `Loads` of `Count` matrices each are made at once.
template <int Count, bool Transposed, int Loads = 1> struct matrix_rows {
    typedef unsigned long operand;
    typedef unsigned result;
    static constexpr int in = Loads, out = Loads * Count;
    template <int Stride> static void run(const operand* rows, result* results) {
        for (int matrix = 0; matrix < out; ++matrix) {
            unsigned short elements[8][8];
            for (int r = 0; r < 8; ++r)
                __builtin_memcpy(elements[r], (const void*)rows[matrix / Count * Stride + matrix % Count * 8 + r], 16);
            for (int lane = 0; lane < 32; ++lane) {
                const int first = lane % 4 * 2, other = lane / 4;
                results[matrix * Stride + lane] = Transposed ? elements[first][other] | (unsigned)elements[first + 1][other] << 16
                                                             : elements[other][first] | (unsigned)elements[other][first + 1] << 16;
            }
        }
    }
};
template <int Count, bool Transposed> CUDA_SHIM_PTX void load_matrices(const char* row, unsigned (&words)[Count]) {
    const cuda_shim_words<unsigned long, 1> mine{{(unsigned long)row}};
    const auto result = cuda_shim_by_warp<matrix_rows<Count, Transposed>>(mine);
    for (int i = 0; i < Count; ++i) words[i] = result.value[i];
}

}  // namespace cuda_shim_ptx
