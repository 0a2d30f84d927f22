// PTX's products of matrices on AMD GPUs, in NVIDIA's layouts: each lane computes its own elements, from the registers of
// the other lanes, which shuffles bring. Sums are rounded once.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_matrix_elements.h>
#include <cuda_shim/warp.h>

namespace cuda_shim_ptx {

// The value of a lane of this warp of 32, the half of a wave of 64.
template <class T> CUDA_SHIM_PTX T of_lane(T value, int lane) { return __shfl(value, lane, 32); }

// d = a * b + c of M x N elements, K deep, in the order of k. A register of all 32 lanes is a tile: of 8 rows of a, of 8
// columns of b, each row or column with its elements side by side in four lanes; of 8 rows of c and d, in which a lane has
// two neighbours, one in each of two registers where they fill one each.
template <class A, class B, class C, class D, int M, int N, int K, bool Saturated, class Word, int CountA, int CountB, int CountC, int CountD>
CUDA_SHIM_PTX void mma(const Word (&a)[CountA], const Word (&b)[CountB], const Word (&c)[CountC], Word (&d)[CountD]) {
    constexpr int width = sizeof(Word) * 8, together = width / A::bits, depth = 4 * together, steps = K / depth;
    constexpr int rows = M / 8, columns = N / 8, words_of_c = 2 * C::bits / width, words_of_d = 2 * D::bits / width;
    static_assert((int)A::bits == (int)B::bits, "registers of a and b hold as many elements");
    const int lane = (int)cuda_on_hip_lane(), row_of_lane = lane / 4 * 4, column_of_lane = lane % 4 * 8;
    for (int column = 0; column < columns; ++column) {
        for (int row = 0; row < rows; ++row) {
            const int tile = column * rows + row;
            typename A::sum sums[2] = {};
            if constexpr (A::from_c)
                for (int i = 0; i < 2; ++i) sums[i] = C::number(&c[tile * words_of_c + (words_of_c == 2 ? i : 0)], words_of_c == 2 ? 0 : i);
            for (int step = 0; step < steps; ++step) {
                for (int quarter = 0; quarter < 4; ++quarter) {
                    const Word left = of_lane(a[step * rows + row], row_of_lane + quarter);
                    for (int i = 0; i < 2; ++i) {
                        const Word right = of_lane(b[column * steps + step], column_of_lane + 4 * i + quarter);
                        for (int k = 0; k < together; ++k) A::add(sums[i], A::number(&left, k), B::number(&right, k));
                    }
                }
            }
            for (int i = 0; i < 2; ++i) {
                const Word* before = &c[tile * words_of_c + (words_of_c == 2 ? i : 0)];
                Word* behind = &d[tile * words_of_d + (words_of_d == 2 ? i : 0)];
                const int place = words_of_d == 2 ? 0 : i;
                if constexpr (A::from_c)
                    D::put(behind, place, sums[i], Saturated);
                else
                    D::put(behind, place, C::number(before, words_of_c == 2 ? 0 : i) + sums[i], Saturated);
            }
        }
    }
}

// Lane 8 * m + r names row r of matrix m; each lane gets two neighbours of a row, of a column where it is transposed.
template <int Count, bool Transposed> CUDA_SHIM_PTX void load_matrices(const char* row, unsigned (&words)[Count]) {
    const int lane = (int)cuda_on_hip_lane(), first = lane % 4 * 2, other = lane / 4;
    for (int matrix = 0; matrix < Count; ++matrix) {
        const auto element = [&](int r, int column) {
            return (unsigned)((const unsigned short*)of_lane((unsigned long long)row, matrix * 8 + r))[column];
        };
        words[matrix] = Transposed ? element(first, other) | element(first + 1, other) << 16
                                   : element(other, first) | element(other, first + 1) << 16;
    }
}

// The other way round.
template <int Count, bool Transposed> CUDA_SHIM_PTX void store_matrices(char* row, const unsigned (&words)[Count]) {
    const int lane = (int)cuda_on_hip_lane(), first = lane % 4 * 2, other = lane / 4;
    for (int matrix = 0; matrix < Count; ++matrix)
        for (int i = 0; i < 2; ++i) {
            const auto place = of_lane((unsigned long long)row, matrix * 8 + (Transposed ? first + i : other));
            ((unsigned short*)place)[Transposed ? other : first + i] = (unsigned short)(words[matrix] >> (16 * i));
        }
}

}  // namespace cuda_shim_ptx
