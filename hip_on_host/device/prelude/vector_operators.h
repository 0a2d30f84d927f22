// HIP's operators on short vectors. (CUDA has none.) They are templates, which lose to any function that a program
// defines for its types.
#pragma once

template <class V, int Lanes = V::cuda_shim_lanes> struct cuda_shim_lanewise;
template <class V> struct cuda_shim_lanewise<V, 1> {
    template <class F> CUDA_SHIM_INLINE V map(const V& a, const V& b, F f) { return V{f(a.x, b.x)}; }
    CUDA_SHIM_INLINE V fill(typename V::cuda_shim_element s) { return V{s}; }
    CUDA_SHIM_INLINE bool same(const V& a, const V& b) { return a.x == b.x; }
};
template <class V> struct cuda_shim_lanewise<V, 2> {
    template <class F> CUDA_SHIM_INLINE V map(const V& a, const V& b, F f) { return V{f(a.x, b.x), f(a.y, b.y)}; }
    CUDA_SHIM_INLINE V fill(typename V::cuda_shim_element s) { return V{s, s}; }
    CUDA_SHIM_INLINE bool same(const V& a, const V& b) { return a.x == b.x && a.y == b.y; }
};
template <class V> struct cuda_shim_lanewise<V, 3> {
    template <class F> CUDA_SHIM_INLINE V map(const V& a, const V& b, F f) {
        return V{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
    }
    CUDA_SHIM_INLINE V fill(typename V::cuda_shim_element s) { return V{s, s, s}; }
    CUDA_SHIM_INLINE bool same(const V& a, const V& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};
template <class V> struct cuda_shim_lanewise<V, 4> {
    template <class F> CUDA_SHIM_INLINE V map(const V& a, const V& b, F f) {
        return V{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
    }
    CUDA_SHIM_INLINE V fill(typename V::cuda_shim_element s) { return V{s, s, s, s}; }
    CUDA_SHIM_INLINE bool same(const V& a, const V& b) {
        return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
    }
};

// The default argument makes these vanish for any type that is not one of ours. A scalar operand is a type of its own
// (not the element's), so that `float4 * 2` needs no exact match.
#define CUDA_SHIM_VECTOR_OPERATOR(op)                                                                            \
    template <class V, class E = typename V::cuda_shim_element>                                                  \
    CUDA_SHIM_INLINE V operator op(const V& a, const V& b) {                                                     \
        return cuda_shim_lanewise<V>::map(a, b, [](E p, E q) -> E { return (E)(p op q); });                      \
    }                                                                                                            \
    template <class V, class E = typename V::cuda_shim_element>                                                  \
    CUDA_SHIM_INLINE V operator op(const V& a, typename V::cuda_shim_element s) {                                \
        return a op cuda_shim_lanewise<V>::fill(s);                                                              \
    }                                                                                                            \
    template <class V, class E = typename V::cuda_shim_element>                                                  \
    CUDA_SHIM_INLINE V operator op(typename V::cuda_shim_element s, const V& a) {                                \
        return cuda_shim_lanewise<V>::fill(s) op a;                                                              \
    }                                                                                                            \
    template <class V, class E = typename V::cuda_shim_element>                                                  \
    CUDA_SHIM_INLINE V& operator op##=(V& a, const V& b) {                                                       \
        return a = cuda_shim_lanewise<V>::map(a, b, [](E p, E q) -> E { return (E)(p op q); });                  \
    }                                                                                                            \
    template <class V, class E = typename V::cuda_shim_element>                                                  \
    CUDA_SHIM_INLINE V& operator op##=(V& a, typename V::cuda_shim_element s) {                                  \
        return a = cuda_shim_lanewise<V>::map(a, cuda_shim_lanewise<V>::fill(s),                                 \
                                              [](E p, E q) -> E { return (E)(p op q); });                        \
    }
CUDA_SHIM_VECTOR_OPERATOR(+)
CUDA_SHIM_VECTOR_OPERATOR(-)
CUDA_SHIM_VECTOR_OPERATOR(*)
CUDA_SHIM_VECTOR_OPERATOR(/)
CUDA_SHIM_VECTOR_OPERATOR(%)
CUDA_SHIM_VECTOR_OPERATOR(&)
CUDA_SHIM_VECTOR_OPERATOR(|)
CUDA_SHIM_VECTOR_OPERATOR(^)
CUDA_SHIM_VECTOR_OPERATOR(<<)
CUDA_SHIM_VECTOR_OPERATOR(>>)

template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE V operator~(const V& a) {
    return cuda_shim_lanewise<V>::map(a, a, [](E p, E) -> E { return (E)~p; });
}
template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE V& operator++(V& a) { return a += (E)1; }
template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE V& operator--(V& a) { return a -= (E)1; }
template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE V operator++(V& a, int) {
    const V before = a;
    ++a;
    return before;
}
template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE V operator--(V& a, int) {
    const V before = a;
    --a;
    return before;
}

template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE V operator-(const V& a) {
    return cuda_shim_lanewise<V>::map(a, a, [](E p, E) -> E { return (E)-p; });
}
template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE bool operator==(const V& a, const V& b) {
    return cuda_shim_lanewise<V>::same(a, b);
}
template <class V, class E = typename V::cuda_shim_element> CUDA_SHIM_INLINE bool operator!=(const V& a, const V& b) {
    return !cuda_shim_lanewise<V>::same(a, b);
}
