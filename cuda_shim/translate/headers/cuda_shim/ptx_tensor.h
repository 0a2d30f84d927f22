// PTX's products of matrices that a warp holds together, as arithmetic, in the layouts that PTX documents: all elements
// are computed at once, from the registers of all lanes. Sums are rounded once.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_matrix_elements.h>
#include <cuda_shim/ptx_transactions.h>

namespace cuda_shim_ptx {

// d = a * b + c of M x N elements, K deep, in the order of k: a function of a warp's registers (cuda_shim_by_warp), those
// of a first, then b and c. A register of all 32 lanes is a tile: of 8 rows of a, of 8 columns of b, each row or column
// with its elements side by side; of 8 rows of c and d, in which a lane has two neighbours, one in each of two registers
// where they fill one each.
template <class A, class B, class C, class D, int M, int N, int K, bool Saturated> struct matrix_product {
    typedef typename mma_word<A::bits == 64>::type operand, result;
    typedef typename A::sum sum;
    typedef typename A::vector vector;
    static constexpr int width = sizeof(operand) * 8, in_a = width / A::bits, in_b = width / B::bits;  // elements of a register
    static constexpr int rows = M / 8, columns = N / 8, depth = 4 * in_a, steps = K / depth;           // tiles, k of a tile
    static constexpr int words_of_c = 2 * C::bits / width, words_of_d = 2 * D::bits / width;           // registers of a tile
    static constexpr int of_a = rows * steps, of_b = columns * steps;
    static constexpr int in = of_a + of_b + rows * columns * words_of_c, out = rows * columns * words_of_d;

    template <int Stride> static void run(const operand* words, result* results) {
        sum left[of_a][8 * depth];
        for (int tile = 0; tile < of_a; ++tile)
            for (int i = 0; i < 8 * depth; ++i) left[tile][i] = A::number(words + tile * Stride, i);
        for (int column = 0; column < columns; ++column) {
            vector right[K];
            read_columns<Stride>(words + (of_a + column * steps) * Stride, right);
            for (int row = 0; row < rows; ++row) {
                const int tile = column * rows + row;
                sum sums[64];
                read_sums<Stride>(words + (of_a + of_b + tile * words_of_c) * Stride, sums);
                add_products(left, right, row, sums);
                write_sums<Stride>(results + tile * words_of_d * Stride, words + (of_a + of_b + tile * words_of_c) * Stride, sums);
            }
        }
    }

    // Eight columns of b, by k.
    template <int Stride> static void read_columns(const operand* words, vector (&right)[K]) {
        for (int step = 0; step < steps; ++step) {
            sum tile[8 * depth];
            for (int i = 0; i < 8 * depth; ++i) tile[i] = B::number(words + step * Stride, i);
            for (int k = 0; k < depth; ++k)
                for (int column = 0; column < 8; ++column) right[step * depth + k][column] = tile[column * depth + k];
        }
    }
    template <int Stride> static void read_sums(const operand* words, sum (&sums)[64]) {
        if constexpr (!A::from_c) {
            for (int i = 0; i < 64; ++i) sums[i] = 0;
        } else if constexpr (words_of_c == 1) {
            for (int i = 0; i < 64; ++i) sums[i] = C::number(words, i);
        } else {
            for (int lane = 0; lane < 32; ++lane) {
                sums[2 * lane] = C::number(words, lane);
                sums[2 * lane + 1] = C::number(words + Stride, lane);
            }
        }
    }
    // Four rows at a time have their sums in registers.
    static void add_products(const sum (&left)[of_a][8 * depth], const vector (&right)[K], int row, sum (&sums)[64]) {
        for (int four = 0; four < 8; four += 4) {
            vector so_far[4];
            __builtin_memcpy(so_far, sums + four * 8, sizeof(so_far));
            for (int step = 0; step < steps; ++step)
                for (int k = 0; k < depth; ++k)
                    for (int r = 0; r < 4; ++r)
                        A::add(so_far[r], left[step * rows + row][(four + r) * depth + k], right[step * depth + k]);
            __builtin_memcpy(sums + four * 8, so_far, sizeof(so_far));
        }
    }
    template <int Stride> static void write_sums(result* results, const operand* before, const sum (&sums)[64]) {
        const auto total = [&](int word, int lane, int i) { return A::from_c ? sums[i] : C::number(before + word * Stride, lane) + sums[i]; };
        if constexpr (words_of_d == 1) {
            for (int i = 0; i < 64; ++i) D::put(results, i, total(0, i, i), Saturated);
        } else {
            for (int lane = 0; lane < 32; ++lane) {
                D::put(results, lane, total(0, lane, 2 * lane), Saturated);
                D::put(results + Stride, lane, total(1, lane, 2 * lane + 1), Saturated);
            }
        }
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

// The copy is done at once, so that waiting for copies is a no-op. The bytes beyond `given` become zero.
template <int Bytes, class From> CUDA_SHIM_PTX void copy_async(char* to, From* from, unsigned given) {
    copy(to, (const char*)from, Bytes, given);
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
