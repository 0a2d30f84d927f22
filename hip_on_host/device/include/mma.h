// Stands for CUDA's header of this name: matrices that a warp holds together, and their product, as arithmetic.
//
// Each of the 32 lanes keeps its part of a matrix, in the layout that mma.sync documents for 16 bits. A product hands
// all parts round the warp; then every lane computes the elements that it keeps. Sums are made in double precision and
// rounded once, which is within CUDA's promises for the hardware.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "../prelude/portable_names.h"

namespace nvcuda {
namespace wmma {

#include "../portable/wmma_names.h"

namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace cuda_shim_detail {

// The type of an element in memory and in a fragment, and the type that products are summed in.
template <class T> struct element { typedef T storage; typedef double sum; };
template <> struct element<precision::tf32> { typedef float storage; typedef double sum; };
template <> struct element<signed char> { typedef signed char storage; typedef long long sum; };
template <> struct element<char> { typedef char storage; typedef long long sum; };
template <> struct element<unsigned char> { typedef unsigned char storage; typedef long long sum; };
template <> struct element<int> { typedef int storage; typedef long long sum; };

template <class T> CUDA_SHIM_INLINE double number(const T* x) { return (double)(float)*x; }
CUDA_SHIM_INLINE double number(const double* x) { return *x; }
CUDA_SHIM_INLINE long long number(const signed char* x) { return *x; }
CUDA_SHIM_INLINE long long number(const char* x) { return *x; }
CUDA_SHIM_INLINE long long number(const unsigned char* x) { return *x; }
CUDA_SHIM_INLINE long long number(const int* x) { return *x; }
// The hardware reads the upper 19 bits of a float.
CUDA_SHIM_INLINE float tf32_of(float x) { return cuda_shim_bits<float>(cuda_shim_bits<unsigned int>(x) & 0xffffe000u); }

template <class Use, int M, int N, int K> struct shape { static constexpr int rows = M, columns = N; };
template <int M, int N, int K> struct shape<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct shape<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };

// The place of an element of a lane. Blocks of 8 rows and 8 columns, in which a lane has two neighbours of a row; smaller
// matrices lane by lane.
template <int Rows, int Columns> struct place {
    int row, column;
    CUDA_SHIM_NARROW_MEMBER place(unsigned int lane, int index) {
        if constexpr (Rows % 8 == 0 && Columns % 8 == 0) {
            const int block = index / 2;
            row = (int)(lane / 4) + block % (Rows / 8) * 8;
            column = (int)(lane % 4) * 2 + index % 2 + block / (Rows / 8) * 8;
        } else {
            const int at = (int)lane + index * 32;
            row = at / Columns;
            column = at % Columns;
        }
    }
};
CUDA_SHIM_INLINE unsigned int lane() { return cuda_shim_linear_thread() % 32; }

// Integers of 4 bits and single bits: a lane keeps 32 bits of a row of a, and of a column of b, as mma.sync documents it.
template <class T> struct packed { static constexpr int bits = 0; };  // of other types a lane keeps single elements
template <> struct packed<experimental::precision::u4> {
    typedef unsigned int storage;
    static constexpr int bits = 4;
    static CUDA_SHIM_NARROW_MEMBER long long number(unsigned int word, int part) { return word >> (4 * part) & 15; }
};
template <> struct packed<experimental::precision::s4> {
    typedef int storage;
    static constexpr int bits = 4;
    static CUDA_SHIM_NARROW_MEMBER long long number(unsigned int word, int part) {
        return (int)(word << (28 - 4 * part)) >> 28;
    }
};
template <> struct packed<experimental::precision::b1> {
    typedef unsigned int storage;
    static constexpr int bits = 1;
    static CUDA_SHIM_NARROW_MEMBER long long number(unsigned int word, int part) { return word >> part & 1; }
};

template <class T> struct packed_fragment {
    typedef T element_type;
    typedef typename packed<T>::storage storage_element_type;
    enum { num_elements = 32 / packed<T>::bits, num_storage_elements = 1 };
    storage_element_type x[num_storage_elements];
};
template <class T, class F> CUDA_SHIM_INLINE void load_packed(F& to, const void* from, unsigned int stride) {
    __syncwarp();
    to.x[0] = ((const typename F::storage_element_type*)from)[lane() / 4 * (stride * packed<T>::bits / 32) + lane() % 4];
}
template <class T, class F> CUDA_SHIM_INLINE void fill_packed(F& to, unsigned int value) {
    constexpr int bits = packed<T>::bits;
    unsigned int word = 0;
    for (int part = 0; part < F::num_elements; ++part) word |= (value & ((1u << bits) - 1)) << (bits * part);
    to.x[0] = (typename F::storage_element_type)word;
}

}  // namespace cuda_shim_detail

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
public:
    typedef typename cuda_shim_detail::element<T>::storage element_type;
    typedef element_type storage_element_type;
    typedef cuda_shim_detail::shape<Use, M, N, K> shape;
    enum { num_elements = shape::rows * shape::columns / 32, num_storage_elements = num_elements };
    element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
CUDA_SHIM_INLINE void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, const V& value) {
    if constexpr (cuda_shim_detail::packed<T>::bits != 0)
        cuda_shim_detail::fill_packed<T>(to, (unsigned int)value);
    else
        for (int i = 0; i < to.num_elements; ++i) to.x[i] = value;
}

namespace cuda_shim_detail {
template <class F, class P> CUDA_SHIM_INLINE void load(F& to, const P* from, unsigned int stride, bool by_rows) {
    __syncwarp();
    for (int i = 0; i < F::num_elements; ++i) {
        const place<F::shape::rows, F::shape::columns> at(lane(), i);
        to.x[i] = from[by_rows ? at.row * stride + at.column : at.column * stride + at.row];
    }
}
template <class L> struct by_rows { static constexpr bool value = true; };
template <> struct by_rows<col_major> { static constexpr bool value = false; };
}  // namespace cuda_shim_detail

template <class Use, int M, int N, int K, class T, class Layout, class P>
CUDA_SHIM_INLINE void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const P* from, unsigned int stride) {
    if constexpr (cuda_shim_detail::packed<T>::bits != 0)
        cuda_shim_detail::load_packed<T>(to, from, stride);
    else
        cuda_shim_detail::load(to, from, stride, cuda_shim_detail::by_rows<Layout>::value);
}
template <int M, int N, int K, class T, class P>
CUDA_SHIM_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const P* from, unsigned int stride, layout_t layout) {
    cuda_shim_detail::load(to, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T, class P>
CUDA_SHIM_INLINE void store_matrix_sync(P* to, const fragment<accumulator, M, N, K, T>& from, unsigned int stride, layout_t layout) {
    for (int i = 0; i < from.num_elements; ++i) {
        const cuda_shim_detail::place<M, N> at(cuda_shim_detail::lane(), i);
        to[layout == mem_row_major ? at.row * stride + at.column : at.column * stride + at.row] = from.x[i];
    }
    __syncwarp();
}

namespace cuda_shim_detail {
// All elements of a matrix, row by row, out of every lane's.
template <class T, class F, class S> CUDA_SHIM_INLINE void gather(const F& from, S* to) {
    typedef typename F::element_type E;
    constexpr size_t bytes = sizeof(E) * F::num_elements;
    unsigned char mine[(bytes + 7) / 8 * 8] = {};
    __builtin_memcpy(mine, from.x, bytes);
    unsigned char all[32][sizeof(mine)];
    for (size_t word = 0; word < sizeof(mine) / 8; ++word) {
        unsigned long value;
        __builtin_memcpy(&value, mine + 8 * word, 8);
        unsigned long active;
        const unsigned long* lanes = cuda_shim_warp_exchange(value, 0xffffffffull, &active);
        for (int lane = 0; lane < 32; ++lane) __builtin_memcpy(all[lane] + 8 * word, lanes + lane, 8);
    }
    for (unsigned int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < F::num_elements; ++i) {
            E element;
            __builtin_memcpy((void*)&element, all[lane] + i * sizeof(E), sizeof(E));
            const place<F::shape::rows, F::shape::columns> at(lane, i);
            to[at.row * F::shape::columns + at.column] = (S)number(&element);
        }
}
template <class T, class S> CUDA_SHIM_INLINE void as_hardware_reads(S*, int) {}
template <> inline void as_hardware_reads<precision::tf32, double>(double* values, int count) {
    for (int i = 0; i < count; ++i) values[i] = tf32_of((float)values[i]);
}
CUDA_SHIM_INLINE void put(int& to, long long sum, bool saturated) {
    if (saturated && sum > 0x7fffffffll) sum = 0x7fffffffll;
    if (saturated && sum < -0x80000000ll) sum = -0x80000000ll;
    to = (int)(unsigned int)sum;
}
template <class D> CUDA_SHIM_INLINE void put(D& to, double sum, bool) { to = (D)sum; }
}  // namespace cuda_shim_detail

// d = a * b + c
template <int M, int N, int K, class A, class B, class C, class D, class LayoutA, class LayoutB>
CUDA_SHIM_INLINE void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                               const fragment<matrix_b, M, N, K, B, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
                               bool saturated = false) {
    namespace detail = cuda_shim_detail;
    typedef typename detail::element<A>::sum Sum;
    Sum left[M * K], right[K * N];
    detail::gather<A>(a, left);
    detail::gather<B>(b, right);
    detail::as_hardware_reads<A>(left, M * K);
    detail::as_hardware_reads<B>(right, K * N);
    for (int i = 0; i < d.num_elements; ++i) {
        const detail::place<M, N> at(detail::lane(), i);
        Sum sum = detail::number(&c.x[i]);
        for (int k = 0; k < K; ++k) sum += left[at.row * K + k] * right[k * N + at.column];
        detail::put(d.x[i], sum, saturated);
    }
}

#define CUDA_SHIM_PACKED_FRAGMENT(type, depth)                                                   \
    template <> class fragment<matrix_a, 8, 8, depth, experimental::precision::type, row_major>  \
        : public cuda_shim_detail::packed_fragment<experimental::precision::type> {};            \
    template <> class fragment<matrix_b, 8, 8, depth, experimental::precision::type, col_major>  \
        : public cuda_shim_detail::packed_fragment<experimental::precision::type> {};
CUDA_SHIM_PACKED_FRAGMENT(u4, 32)
CUDA_SHIM_PACKED_FRAGMENT(s4, 32)
CUDA_SHIM_PACKED_FRAGMENT(b1, 128)
#undef CUDA_SHIM_PACKED_FRAGMENT

namespace cuda_shim_detail {
// d = c + the sum of `pair` over elements of a and b.
template <class T, class A, class B, class C, class Pair>
CUDA_SHIM_INLINE void multiply_packed(C& d, const A& a, const B& b, const C& c, bool saturated, Pair pair) {
    unsigned long active;
    unsigned long words[32];
    const unsigned long mine = (unsigned int)a.x[0] | (unsigned long)(unsigned int)b.x[0] << 32;
    const unsigned long* lanes = cuda_shim_warp_exchange(mine, 0xffffffffull, &active);
    for (int lane = 0; lane < 32; ++lane) words[lane] = lanes[lane];
    for (int i = 0; i < d.num_elements; ++i) {
        const place<8, 8> at(lane(), i);
        long long sum = c.x[i];
        for (int other = 0; other < 4; ++other) {
            const unsigned int left = (unsigned int)words[at.row * 4 + other];
            const unsigned int right = (unsigned int)(words[at.column * 4 + other] >> 32);
            for (int part = 0; part < A::num_elements; ++part)
                sum += pair(packed<T>::number(left, part), packed<T>::number(right, part));
        }
        put(d.x[i], sum, saturated);
    }
}
}  // namespace cuda_shim_detail

#define CUDA_SHIM_PACKED_PRODUCT(type)                                                                               \
    CUDA_SHIM_INLINE void mma_sync(fragment<accumulator, 8, 8, 32, int>& d,                                          \
                                   const fragment<matrix_a, 8, 8, 32, type, row_major>& a,                           \
                                   const fragment<matrix_b, 8, 8, 32, type, col_major>& b,                           \
                                   const fragment<accumulator, 8, 8, 32, int>& c, bool saturated = false) {          \
        cuda_shim_detail::multiply_packed<type>(d, a, b, c, saturated,                                               \
                                                [](long long left, long long right) { return left * right; });       \
    }
CUDA_SHIM_PACKED_PRODUCT(experimental::precision::u4)
CUDA_SHIM_PACKED_PRODUCT(experimental::precision::s4)
#undef CUDA_SHIM_PACKED_PRODUCT

CUDA_SHIM_INLINE void bmma_sync(fragment<accumulator, 8, 8, 128, int>& d,
                                const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
                                const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
                                const fragment<accumulator, 8, 8, 128, int>& c,
                                experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                                experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    const bool both = op == experimental::bmmaBitOpAND;
    cuda_shim_detail::multiply_packed<experimental::precision::b1>(
        d, a, b, c, false, [both](long long left, long long right) { return both ? left & right : left ^ right; });
}

}  // namespace wmma
}  // namespace nvcuda
