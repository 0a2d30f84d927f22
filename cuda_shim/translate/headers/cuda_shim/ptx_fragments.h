// PTX's wmma: matrices that a warp loads, multiplies and stores as a whole. Only these functions see their layout in
// registers, so each fragment has the layout of mma.sync, for tiles of 8 columns side by side.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_tensor.h>

namespace cuda_shim_ptx {

// Element `at` of memory that holds elements of `Bits` bits.
template <int Bits> CUDA_SHIM_PTX unsigned long long mma_element(const char* from, unsigned long at) {
    unsigned long long element = 0;
    if constexpr (Bits >= 8) {
        __builtin_memcpy(&element, from + at * (Bits / 8), Bits / 8);
    } else {
        element = (unsigned char)from[at * Bits / 8] >> (at * Bits % 8) & ((1u << Bits) - 1);
    }
    return element;
}

// The rows of a (Left), or the columns of b, of `Depth` elements, which are adjacent in memory if Along. Matrices of
// halves have more registers than a lane needs for its elements: the first ones are repeated.
template <int Bits, int Lines, int Depth, bool Left, bool Along, class Word, int Count>
CUDA_SHIM_PTX void mma_load(int lane, const char* from, unsigned stride, Word (&words)[Count]) {
    constexpr int in = sizeof(Word) * 8 / Bits, blocks = Lines / 8, deep = Depth / (4 * in);
    for (int i = 0; i < Count; ++i) {
        const int found = i % (blocks * deep);
        const unsigned line = lane / 4 + 8 * (Left ? found % blocks : found / deep);
        const unsigned first = 4 * in * (Left ? found / blocks : found % deep) + lane % 4 * in;
        words[i] = 0;
        for (int part = 0; part < in; ++part) {
            const unsigned k = first + part;
            const unsigned long at = Along ? (unsigned long)line * stride + k : (unsigned long)k * stride + line;
            words[i] |= (Word)mma_element<Bits>(from, at) << (part * Bits % (sizeof(Word) * 8));
        }
    }
}

// The offset in memory of a lane's element `index` of an accumulator matrix.
template <int M, bool ByRows> CUDA_SHIM_PTX unsigned long mma_place(int lane, int index, unsigned stride) {
    const int in_tile = index % (M / 4);
    const unsigned long row = lane / 4 + in_tile / 2 * 8, column = index / (M / 4) * 8 + lane % 4 * 2 + in_tile % 2;
    return ByRows ? row * stride + column : column * stride + row;
}
template <int Bits, int M, bool ByRows, class Word, int Count>
CUDA_SHIM_PTX void mma_load_sums(int lane, const char* from, unsigned stride, Word (&words)[Count]) {
    constexpr int in = sizeof(Word) * 8 / Bits;
    for (int i = 0; i < Count; ++i) {
        words[i] = 0;
        for (int part = 0; part < in; ++part)
            words[i] |= (Word)mma_element<Bits>(from, mma_place<M, ByRows>(lane, i * in + part, stride)) << part * Bits;
    }
}
template <int Bits, int M, bool ByRows, class Word, int Count>
CUDA_SHIM_PTX void mma_store_sums(int lane, char* to, unsigned stride, const Word (&words)[Count]) {
    constexpr int in = sizeof(Word) * 8 / Bits;
    for (int i = 0; i < Count * in; ++i) {
        const Word element = words[i / in] >> i % in * Bits;
        __builtin_memcpy(to + mma_place<M, ByRows>(lane, i, stride) * (Bits / 8), &element, Bits / 8);
    }
}

}  // namespace cuda_shim_ptx
