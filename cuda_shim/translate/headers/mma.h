// Stands for CUDA's header of this name on AMD GPUs: matrices that a warp of 32 lanes holds together. Their elements lie
// as mma.sync's do, and products are its products (ptx_matrices_by_lane.h).
#pragma once
#pragma GCC system_header
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_shim/portable_names.h>
#include <cuda_shim/ptx_matrices_by_lane.h>
#include <cuda_shim/warp.h>

namespace nvcuda {
namespace wmma {

#include <portable/wmma_names.h>

namespace cuda_on_hip_detail {

// The type of an element in memory and in a fragment, and those that mma reads: of a factor, and of a sum.
template <class T, class Factor, class Sum> struct types {
    typedef T storage;
    typedef Factor factor;
    typedef Sum sum;
};
template <class T> struct element;
template <> struct element<__half> : types<__half, cuda_shim_ptx::mma_f16, cuda_shim_ptx::mma_in_f16> {};
template <> struct element<__nv_bfloat16> : types<__nv_bfloat16, cuda_shim_ptx::mma_bf16, void> {};
template <> struct element<precision::tf32> : types<float, cuda_shim_ptx::mma_tf32, void> {};
template <> struct element<signed char> : types<signed char, cuda_shim_ptx::mma_s8, void> {};
template <> struct element<char> : types<char, cuda_shim_ptx::mma_s8, void> {};
template <> struct element<unsigned char> : types<unsigned char, cuda_shim_ptx::mma_u8, void> {};
template <> struct element<double> : types<double, cuda_shim_ptx::mma_f64, cuda_shim_ptx::mma_in_f64> {};
template <> struct element<float> : types<float, void, cuda_shim_ptx::mma_in_f32> {};
template <> struct element<int> : types<int, void, cuda_shim_ptx::mma_in_s32> {};

// The row and the column of a lane's element: registers are tiles of 8 rows of a and c, and of 8 columns of b.
template <class Use, int M, int N, int K, class T> struct place;
template <int M, int N, int K, class T> struct place<matrix_a, M, N, K, T> {
    static constexpr int elements = M * K / 32, together = sizeof(T) == 8 ? 1 : 4 / (int)sizeof(T);
    int row, column;
    __device__ place(int lane, int index) {
        const int tile = index / together;
        row = tile % (M / 8) * 8 + lane / 4;
        column = tile / (M / 8) * 4 * together + lane % 4 * together + index % together;
    }
};
template <int M, int N, int K, class T> struct place<matrix_b, M, N, K, T> {
    static constexpr int elements = K * N / 32, together = sizeof(T) == 8 ? 1 : 4 / (int)sizeof(T), steps = K / (4 * together);
    int row, column;
    __device__ place(int lane, int index) {
        const int tile = index / together;
        row = tile % steps * 4 * together + lane % 4 * together + index % together;
        column = tile / steps * 8 + lane / 4;
    }
};
template <int M, int N, int K, class T> struct place<accumulator, M, N, K, T> {
    static constexpr int elements = M * N / 32;
    int row, column;
    __device__ place(int lane, int index) {
        row = index / 2 % (M / 8) * 8 + lane / 4;
        column = index / 2 / (M / 8) * 8 + lane % 4 * 2 + index % 2;
    }
};

template <class L> struct is_by_rows { static constexpr bool value = true; };
template <> struct is_by_rows<col_major> { static constexpr bool value = false; };

}  // namespace cuda_on_hip_detail

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
public:
    typedef typename cuda_on_hip_detail::element<T>::storage element_type;
    typedef element_type storage_element_type;
    typedef cuda_on_hip_detail::place<Use, M, N, K, element_type> place;
    enum { num_elements = place::elements, num_storage_elements = num_elements };
    element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
CUDA_ON_HIP_DEVICE void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, const V& value) {
    for (int i = 0; i < to.num_elements; ++i) to.x[i] = value;
}

namespace cuda_on_hip_detail {
template <class F, class P> CUDA_ON_HIP_DEVICE void load(F& to, const P* from, unsigned stride, bool by_rows) {
    for (int i = 0; i < F::num_elements; ++i) {
        const typename F::place at((int)cuda_on_hip_lane(), i);
        to.x[i] = from[by_rows ? at.row * stride + at.column : at.column * stride + at.row];
    }
}
}  // namespace cuda_on_hip_detail

template <class Use, int M, int N, int K, class T, class Layout, class P>
CUDA_ON_HIP_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const P* from, unsigned stride) {
    cuda_on_hip_detail::load(to, from, stride, cuda_on_hip_detail::is_by_rows<Layout>::value);
}
template <int M, int N, int K, class T, class P>
CUDA_ON_HIP_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const P* from, unsigned stride, layout_t layout) {
    cuda_on_hip_detail::load(to, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T, class P>
CUDA_ON_HIP_DEVICE void store_matrix_sync(P* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride, layout_t layout) {
    for (int i = 0; i < from.num_elements; ++i) {
        const typename fragment<accumulator, M, N, K, T>::place at((int)cuda_on_hip_lane(), i);
        to[layout == mem_row_major ? at.row * stride + at.column : at.column * stride + at.row] = from.x[i];
    }
}

// d = a * b + c
template <int M, int N, int K, class A, class B, class C, class D, class LayoutA, class LayoutB>
CUDA_ON_HIP_DEVICE void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                                 const fragment<matrix_b, M, N, K, B, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
                                 bool saturated = false) {
    typedef cuda_on_hip_detail::element<A> of_a;
    typedef cuda_on_hip_detail::element<B> of_b;
    typedef typename cuda_on_hip_detail::element<C>::sum sum_c;
    typedef typename cuda_on_hip_detail::element<D>::sum sum_d;
    typedef typename cuda_shim_ptx::mma_word<sizeof(typename of_a::storage) == 8>::type word;
    word left[sizeof(a.x) / sizeof(word)], right[sizeof(b.x) / sizeof(word)];
    word before[sizeof(c.x) / sizeof(word)], behind[sizeof(d.x) / sizeof(word)] = {};
    __builtin_memcpy(left, a.x, sizeof(left));
    __builtin_memcpy(right, b.x, sizeof(right));
    __builtin_memcpy(before, c.x, sizeof(before));
    if (saturated)
        cuda_shim_ptx::mma<typename of_a::factor, typename of_b::factor, sum_c, sum_d, M, N, K, true>(left, right, before, behind);
    else
        cuda_shim_ptx::mma<typename of_a::factor, typename of_b::factor, sum_c, sum_d, M, N, K, false>(left, right, before, behind);
    __builtin_memcpy(d.x, behind, sizeof(behind));
}

}  // namespace wmma
}  // namespace nvcuda
