// PTX's loads and stores with a memory order, a scope or a cache operator, and the fences around its atomics.
//
// Compilers leave each of these accesses where it stands, so that a thread that polls memory reads it in each iteration.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_numbers.h>

namespace cuda_shim_ptx {

constexpr int order_relaxed = __ATOMIC_RELAXED, order_acquire = __ATOMIC_ACQUIRE, order_release = __ATOMIC_RELEASE;
// Clang's numbers of an AMD GPU's scopes. Host cores have one scope.
constexpr int scope_cta = 3, scope_gpu = 4, scope_sys = 5;

// The unsigned number of a size, which may lie in memory of any type.
template <unsigned Size> struct aliasing_word;
template <> struct aliasing_word<1> { typedef unsigned char __attribute__((may_alias)) type; };
template <> struct aliasing_word<2> { typedef unsigned short __attribute__((may_alias)) type; };
template <> struct aliasing_word<4> { typedef unsigned __attribute__((may_alias)) type; };
template <> struct aliasing_word<8> { typedef unsigned long long __attribute__((may_alias)) type; };

#if defined(__AMDGCN__)
#define CUDA_SHIM_PTX_LOAD(at, order, scope) __hip_atomic_load(at, order, scope)
#define CUDA_SHIM_PTX_STORE(at, value, order, scope) __hip_atomic_store(at, value, order, scope)
#define CUDA_SHIM_PTX_LOAD_AGAIN(at, scope) __hip_atomic_load(at, __ATOMIC_RELAXED, scope)
#define CUDA_SHIM_PTX_STORE_AGAIN(at, value, scope) __hip_atomic_store(at, value, __ATOMIC_RELAXED, scope)
#else
#define CUDA_SHIM_PTX_LOAD(at, order, scope) __atomic_load_n(at, order)
#define CUDA_SHIM_PTX_STORE(at, value, order, scope) __atomic_store_n(at, value, order)
#define CUDA_SHIM_PTX_LOAD_AGAIN(at, scope) (*(at))
#define CUDA_SHIM_PTX_STORE_AGAIN(at, value, scope) (void)(*(at) = value)
#endif

// The words of a value: an access to 16 bytes is two to 8 each, since few machines have one instruction for it.
// Without loops and methods, which cost the analysis of kernels more.
template <class T> struct words_of {
    static constexpr unsigned size = sizeof(T) > 8 ? 8 : sizeof(T), count = sizeof(T) / size;
    using word = typename aliasing_word<size>::type;
    word words[count];
};

// A type as it is given: the address alone decides it.
template <class T> struct given { using type = T; };

#define CUDA_SHIM_PTX_WORDS(at) ((volatile typename words_of<T>::word*)at)

// A load with an order, in a scope.
template <int Order, int Scope, class T> CUDA_SHIM_PTX T load(const T* at) {
    words_of<T> loaded;
    loaded.words[0] = CUDA_SHIM_PTX_LOAD(CUDA_SHIM_PTX_WORDS(at) + 0, Order, Scope);
    if constexpr (words_of<T>::count == 2) loaded.words[1] = CUDA_SHIM_PTX_LOAD(CUDA_SHIM_PTX_WORDS(at) + 1, Order, Scope);
    T result;
    __builtin_memcpy(&result, loaded.words, sizeof(T));
    return result;
}
template <int Order, int Scope, class T> CUDA_SHIM_PTX void store(T* at, typename given<T>::type value) {
    words_of<T> stored;
    __builtin_memcpy(stored.words, &value, sizeof(T));
    CUDA_SHIM_PTX_STORE(CUDA_SHIM_PTX_WORDS(at) + 0, stored.words[0], Order, Scope);
    if constexpr (words_of<T>::count == 2) CUDA_SHIM_PTX_STORE(CUDA_SHIM_PTX_WORDS(at) + 1, stored.words[1], Order, Scope);
}
// The same without an order.
template <int Scope, class T> CUDA_SHIM_PTX T load_again(const T* at) {
    words_of<T> loaded;
    loaded.words[0] = CUDA_SHIM_PTX_LOAD_AGAIN(CUDA_SHIM_PTX_WORDS(at) + 0, Scope);
    if constexpr (words_of<T>::count == 2) loaded.words[1] = CUDA_SHIM_PTX_LOAD_AGAIN(CUDA_SHIM_PTX_WORDS(at) + 1, Scope);
    T result;
    __builtin_memcpy(&result, loaded.words, sizeof(T));
    return result;
}
template <int Scope, class T> CUDA_SHIM_PTX void store_again(T* at, typename given<T>::type value) {
    words_of<T> stored;
    __builtin_memcpy(stored.words, &value, sizeof(T));
    CUDA_SHIM_PTX_STORE_AGAIN(CUDA_SHIM_PTX_WORDS(at) + 0, stored.words[0], Scope);
    if constexpr (words_of<T>::count == 2) CUDA_SHIM_PTX_STORE_AGAIN(CUDA_SHIM_PTX_WORDS(at) + 1, stored.words[1], Scope);
}
#undef CUDA_SHIM_PTX_WORDS
#undef CUDA_SHIM_PTX_LOAD
#undef CUDA_SHIM_PTX_STORE
#undef CUDA_SHIM_PTX_LOAD_AGAIN
#undef CUDA_SHIM_PTX_STORE_AGAIN

// The fence before an atomic operation that releases, and behind one that acquires.
#if defined(__AMDGCN__)
#define CUDA_SHIM_PTX_FENCE(order)                                                       \
    if constexpr (Scope == scope_cta) __builtin_amdgcn_fence(order, "workgroup");        \
    else if constexpr (Scope == scope_gpu) __builtin_amdgcn_fence(order, "agent");       \
    else __builtin_amdgcn_fence(order, "");
#else
#define CUDA_SHIM_PTX_FENCE(order) __threadfence();
#endif
template <int Scope> CUDA_SHIM_PTX void fence_release() { CUDA_SHIM_PTX_FENCE(__ATOMIC_RELEASE) }
template <int Scope> CUDA_SHIM_PTX void fence_acquire() { CUDA_SHIM_PTX_FENCE(__ATOMIC_ACQUIRE) }
#undef CUDA_SHIM_PTX_FENCE

}  // namespace cuda_shim_ptx
