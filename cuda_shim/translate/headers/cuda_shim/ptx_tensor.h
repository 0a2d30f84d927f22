// PTX's products of matrices that a warp holds together, as arithmetic, in the layouts that PTX documents: one lane
// reads the registers of its warp and computes all elements. Sums are rounded once.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_transactions.h>

namespace cuda_shim_ptx {

// Elements of a and b: their bits, element `part` of a register as a number, and the sum with a pair's product.
template <class Sum> struct mma_multiplied {
    typedef Sum sum;
    static sum add(sum so_far, sum left, sum right) { return so_far + left * right; }
};
struct mma_f16 : mma_multiplied<double> {
    static constexpr int bits = 16;
    static sum number(unsigned word, int part) { return (double)(float)as<_Float16>((unsigned short)(word >> (16 * part))); }
};
struct mma_bf16 : mma_multiplied<double> {
    static constexpr int bits = 16;
    static sum number(unsigned word, int part) { return as<float>((word >> (16 * part)) << 16); }
};
struct mma_tf32 : mma_multiplied<double> {  // the hardware reads the upper 19 bits
    static constexpr int bits = 32;
    static sum number(unsigned word, int) { return as<float>(word & 0xffffe000u); }
};
struct mma_f64 {  // one rounding for each pair
    static constexpr int bits = 64;
    typedef double sum;
    static sum number(unsigned long long word, int) { return as<double>(word); }
    static sum add(sum so_far, sum left, sum right) { return __builtin_fma(left, right, so_far); }
};
// Integers of 8 and 4 bits; the sign is the upper bit.
template <int Bits, bool Signed> struct mma_integer : mma_multiplied<long long> {
    static constexpr int bits = Bits;
    static sum number(unsigned word, int part) {
        const unsigned top = word << (32 - Bits * (part + 1));
        return Signed ? (sum)((int)top >> (32 - Bits)) : (sum)(top >> (32 - Bits));
    }
};
typedef mma_integer<8, true> mma_s8;
typedef mma_integer<8, false> mma_u8;
typedef mma_integer<4, true> mma_s4;
typedef mma_integer<4, false> mma_u4;
// Single bits: the sum counts the bits that differ, or that are both set.
template <bool Both> struct mma_bit {
    static constexpr int bits = 1;
    typedef long long sum;
    static sum number(unsigned word, int part) { return word >> part & 1; }
    static sum add(sum so_far, sum left, sum right) { return so_far + (Both ? left & right : left ^ right); }
};
typedef mma_bit<false> mma_b1_xor;
typedef mma_bit<true> mma_b1_and;

// Elements of c and d: reading and writing element `index` of a lane's registers.
struct mma_in_f32 {
    static double number(const unsigned* words, int index) { return as<float>(words[index]); }
    static void put(unsigned* words, int index, double value, bool) { words[index] = as<unsigned>((float)value); }
};
struct mma_in_f16 {
    static double number(const unsigned* words, int index) { return mma_f16::number(words[index / 2], index % 2); }
    static void put(unsigned* words, int index, double value, bool) {
        const unsigned bits = as<unsigned short>((_Float16)value);
        words[index / 2] = index % 2 ? (words[index / 2] & 0xffffu) | (bits << 16) : (words[index / 2] & 0xffff0000u) | bits;
    }
};
struct mma_in_s32 {
    static long long number(const unsigned* words, int index) { return (int)words[index]; }
    static void put(unsigned* words, int index, long long value, bool saturated) {
        if (saturated) value = value > 0x7fffffffll ? 0x7fffffffll : value < -0x80000000ll ? -0x80000000ll : value;
        words[index] = (unsigned)value;
    }
};

struct mma_in_f64 {
    static double number(const unsigned long long* words, int index) { return as<double>(words[index]); }
    static void put(unsigned long long* words, int index, double value, bool) { words[index] = as<unsigned long long>(value); }
};

// The registers of a lane, which is on a stack of its own while it waits.
template <class Word> struct mma_lane {
    const Word *a, *b, *c;
    Word* d;
};

// d = a * b + c of Rows x 8 elements, K deep, for all lanes, in the order of k.
template <class A, class B, class C, class D, int Rows, int K, bool Saturated, class Word>
CUDA_SHIM_PTX void mma_of_warp(const unsigned long* lanes) {
    typedef typename A::sum sum;
    constexpr int in_a = sizeof(Word) * 8 / A::bits, in_b = sizeof(Word) * 8 / B::bits;  // elements of a register
    const auto of = [&](int lane) -> const mma_lane<Word>& { return *(const mma_lane<Word>*)lanes[lane]; };
    sum left[Rows][K], right[K][8], sums[Rows][8];
    for (int row = 0; row < Rows; ++row)
        for (int k = 0; k < K; ++k)
            left[row][k] = A::number(of(row % 8 * 4 + k % (4 * in_a) / in_a).a[k / (4 * in_a) * (Rows / 8) + row / 8], k % in_a);
    for (int column = 0; column < 8; ++column)
        for (int k = 0; k < K; ++k)
            right[k][column] = B::number(of(column * 4 + k % (4 * in_b) / in_b).b[k / (4 * in_b)], k % in_b);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < Rows / 4; ++i) sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = C::number(of(lane).c, i);
    for (int row = 0; row < Rows; row += 4)  // four rows at a time have their sums in registers
        for (int k = 0; k < K; ++k)
            for (int r = row; r < row + 4; ++r)
                for (int column = 0; column < 8; ++column) sums[r][column] = A::add(sums[r][column], left[r][k], right[k][column]);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < Rows / 4; ++i) D::put(of(lane).d, i, sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2], Saturated);
}

// The lanes meet, the first one computes for all of them, and they meet again.
template <class A, class B, class C, class D, int Rows, int K, bool Saturated, class Word, int CountA, int CountB, int CountC, int CountD>
CUDA_SHIM_PTX void mma(const Word (&a)[CountA], const Word (&b)[CountB], const Word (&c)[CountC], Word (&d)[CountD]) {
    const mma_lane<Word> mine = {a, b, c, d};
    unsigned long active;
    const unsigned long* lanes = cuda_shim_warp_exchange((unsigned long)&mine, 0xffffffffull, &active);
    if (cuda_shim_linear_thread() % 32 == 0) mma_of_warp<A, B, C, D, Rows, K, Saturated, Word>(lanes);
    __syncwarp();
}

// The copy is done at once, so that waiting for copies is a no-op. The bytes beyond `given` become zero.
template <int Bytes, class From> CUDA_SHIM_PTX void copy_async(char* to, From* from, unsigned given) {
    for (unsigned i = 0; i < Bytes; ++i) to[i] = i < given ? ((const char*)from)[i] : 0;
}
CUDA_SHIM_PTX void copies_are_made() {}

// Lane 8 * m + r names row r of matrix m; each lane gets two neighbours of a row, of a column where it is transposed.
template <int Count, bool Transposed> CUDA_SHIM_PTX void load_matrices(const char* row, unsigned (&words)[Count]) {
    unsigned long active;
    const unsigned long* rows = cuda_shim_warp_exchange((unsigned long)row, 0xffffffffull, &active);
    const int lane = (int)(cuda_shim_linear_thread() % 32);
    for (int matrix = 0; matrix < Count; ++matrix) {
        const auto element = [&](int r, int c) -> unsigned { return ((const unsigned short*)rows[matrix * 8 + r])[c]; };
        const int first = lane % 4 * 2, other = lane / 4;
        words[matrix] = Transposed ? element(first, other) | element(first + 1, other) << 16
                                   : element(other, first) | element(other, first + 1) << 16;
    }
    __syncwarp();
}

// The other way round: each lane holds two neighbours of a row, of a column where it is transposed.
template <int Count, bool Transposed> CUDA_SHIM_PTX void store_matrices(char* row, const unsigned (&words)[Count]) {
    unsigned long active;
    const unsigned long* rows = cuda_shim_warp_exchange((unsigned long)row, 0xffffffffull, &active);
    const int lane = (int)(cuda_shim_linear_thread() % 32);
    for (int matrix = 0; matrix < Count; ++matrix) {
        const auto put = [&](int r, int c, unsigned word) { ((unsigned short*)rows[matrix * 8 + r])[c] = (unsigned short)word; };
        const int first = lane % 4 * 2, other = lane / 4;
        for (int i = 0; i < 2; ++i)
            if (Transposed) put(first + i, other, words[matrix] >> (16 * i));
            else put(other, first + i, words[matrix] >> (16 * i));
    }
    __syncwarp();
}

}  // namespace cuda_shim_ptx
