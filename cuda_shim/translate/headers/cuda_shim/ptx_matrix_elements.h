// The elements of matrices that PTX's instructions multiply: their bits, and the numbers that they stand for.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_numbers.h>

namespace cuda_shim_ptx {

// Elements of a and b: their bits, the type of sums, and the number at an index of adjacent registers. Eight neighbours
// of a row of sums are computed together. Sums of floats begin with c, in its place in the order; sums of whole numbers
// are exact in any order.
template <class Sum> struct mma_vector;
template <> struct mma_vector<double> {
    typedef double type __attribute__((vector_size(64)));
};
template <> struct mma_vector<int> {
    typedef int type __attribute__((vector_size(32)));
};
struct mma_floats {
    typedef double sum;
    typedef mma_vector<double>::type vector;
    static constexpr bool from_c = true;
    __device__ static void add(double& so_far, double left, double right) { so_far = __builtin_fma(left, right, so_far); }
    // One rounding. Products of all types but double are exact by themselves.
    __device__ static void fused(vector& so_far, double left, const vector& right) {
        for (int i = 0; i < 8; ++i) so_far[i] = __builtin_fma(left, right[i], so_far[i]);
    }
    __device__ static void add(vector& so_far, double left, const vector& right) {
#ifdef __FMA__
        fused(so_far, left, right);
#else
        so_far += left * right;
#endif
    }
};
struct mma_whole_numbers {
    typedef int sum;
    typedef mma_vector<int>::type vector;
    static constexpr bool from_c = false;
    __device__ static void add(vector& so_far, int left, const vector& right) { so_far += left * right; }
    __device__ static void add(int& so_far, int left, int right) { so_far += left * right; }
};
template <class T> CUDA_SHIM_PTX T mma_at(const void* words, int index) {
    T bits;
    __builtin_memcpy(&bits, (const char*)words + index * (int)sizeof(T), sizeof(T));
    return bits;
}
template <class T> CUDA_SHIM_PTX void mma_put_at(void* words, int index, T value) {
    __builtin_memcpy((char*)words + index * (int)sizeof(T), &value, sizeof(T));
}
struct mma_f16 : mma_floats {
    static constexpr int bits = 16;
    __device__ static sum number(const void* words, int index) { return (double)(float)mma_at<_Float16>(words, index); }
};
struct mma_bf16 : mma_floats {
    static constexpr int bits = 16;
    __device__ static sum number(const void* words, int index) { return as<float>((unsigned)mma_at<unsigned short>(words, index) << 16); }
};
struct mma_tf32 : mma_floats {  // the hardware reads the upper 19 bits
    static constexpr int bits = 32;
    __device__ static sum number(const void* words, int index) { return as<float>(mma_at<unsigned>(words, index) & 0xffffe000u); }
};
struct mma_f64 : mma_floats {
    static constexpr int bits = 64;
    __device__ static sum number(const void* words, int index) { return mma_at<double>(words, index); }
    using mma_floats::add;
    __device__ static void add(vector& so_far, double left, const vector& right) { fused(so_far, left, right); }
};
// Integers of 8 and 4 bits; the sign is the upper bit. 64 products of them have no more than 21 bits.
template <int Bits, bool Signed> struct mma_integer : mma_whole_numbers {
    static constexpr int bits = Bits;
    __device__ static sum number(const void* words, int index) {
        if constexpr (Bits == 8) return Signed ? (sum)mma_at<signed char>(words, index) : (sum)mma_at<unsigned char>(words, index);
        const unsigned top = (unsigned)mma_at<unsigned char>(words, index / 2) << (index % 2 ? 24 : 28);
        return Signed ? (sum)top >> 28 : (sum)(top >> 28);
    }
};
typedef mma_integer<8, true> mma_s8;
typedef mma_integer<8, false> mma_u8;
typedef mma_integer<4, true> mma_s4;
typedef mma_integer<4, false> mma_u4;
// Single bits: the sum counts the bits that differ, or that are both set.
template <bool Both> struct mma_bit : mma_whole_numbers {
    static constexpr int bits = 1;
    __device__ static sum number(const void* words, int index) { return mma_at<unsigned char>(words, index / 8) >> index % 8 & 1; }
    __device__ static void add(vector& so_far, int left, const vector& right) { so_far += Both ? left & right : left ^ right; }
    __device__ static void add(int& so_far, int left, int right) { so_far += Both ? left & right : left ^ right; }
};
typedef mma_bit<false> mma_b1_xor;
typedef mma_bit<true> mma_b1_and;

// Elements of c and d: reading and writing the number at an index of adjacent registers.
struct mma_in_f32 {
    static constexpr int bits = 32;
    __device__ static double number(const void* words, int index) { return mma_at<float>(words, index); }
    __device__ static void put(void* words, int index, double value, bool) { mma_put_at(words, index, (float)value); }
};
struct mma_in_f16 {
    static constexpr int bits = 16;
    __device__ static double number(const void* words, int index) { return mma_f16::number(words, index); }
    __device__ static void put(void* words, int index, double value, bool) { mma_put_at(words, index, (_Float16)value); }
};
struct mma_in_s32 {
    static constexpr int bits = 32;
    __device__ static long long number(const void* words, int index) { return mma_at<int>(words, index); }
    __device__ static void put(void* words, int index, long long value, bool saturated) {
        if (saturated) value = value > 0x7fffffffll ? 0x7fffffffll : value < -0x80000000ll ? -0x80000000ll : value;
        mma_put_at(words, index, (unsigned)value);
    }
};
struct mma_in_f64 {
    static constexpr int bits = 64;
    __device__ static double number(const void* words, int index) { return mma_at<double>(words, index); }
    __device__ static void put(void* words, int index, double value, bool) { mma_put_at(words, index, value); }
};

template <bool Wide> struct mma_word {
    typedef unsigned type;
};
template <> struct mma_word<true> {
    typedef unsigned long long type;
};

}  // namespace cuda_shim_ptx
