// CUDA's atomics for every type and scope.
//
// Templates, so that a program's own overload of the same name, which is common for float and double, is preferred
// instead of clashing. HIP leaves out signed 64-bit and 16-bit ones and most scopes.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

// The type as it is, where it shall follow from the address alone.
template <class T> struct cuda_on_hip_same {
    using type = T;
};

#if defined(__AMDGCN__)
#define CUDA_ON_HIP_ATOMIC(name, suffix, fetch, scope)                                                                 \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_##name##suffix(T* address, typename cuda_on_hip_same<T>::type value) {                \
        return fetch(address, value, __ATOMIC_RELAXED, scope);                                                       \
    }
#define CUDA_ON_HIP_EXCHANGE_IF(suffix, scope)                                                                         \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_atomicCAS##suffix(T* address, typename cuda_on_hip_same<T>::type compare,             \
                                                   typename cuda_on_hip_same<T>::type value) {                         \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);   \
        return compare;                                                                                              \
    }
#else  // a HIP whose atomics have one scope
#define CUDA_ON_HIP_ATOMIC(name, suffix, fetch, scope)                                                                 \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_##name##suffix(T* address, typename cuda_on_hip_same<T>::type value) {                \
        return name(address, value);                                                                                 \
    }
#define CUDA_ON_HIP_EXCHANGE_IF(suffix, scope)                                                                         \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_atomicCAS##suffix(T* address, typename cuda_on_hip_same<T>::type compare,             \
                                                   typename cuda_on_hip_same<T>::type value) {                         \
        return atomicCAS(address, compare, value);                                                                   \
    }
#endif

#define CUDA_ON_HIP_ATOMICS(suffix, scope)                                                                             \
    CUDA_ON_HIP_ATOMIC(atomicAdd, suffix, __hip_atomic_fetch_add, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicMin, suffix, __hip_atomic_fetch_min, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicMax, suffix, __hip_atomic_fetch_max, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicAnd, suffix, __hip_atomic_fetch_and, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicOr, suffix, __hip_atomic_fetch_or, scope)                                                 \
    CUDA_ON_HIP_ATOMIC(atomicXor, suffix, __hip_atomic_fetch_xor, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicExch, suffix, __hip_atomic_exchange, scope)                                               \
    CUDA_ON_HIP_EXCHANGE_IF(suffix, scope)                                                                             \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_atomicSub##suffix(T* address, typename cuda_on_hip_same<T>::type value) {             \
        return cuda_on_hip_atomicAdd##suffix(address, (T)(-value));                                                    \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_atomicInc##suffix(unsigned* address, unsigned limit) {                       \
        unsigned old = *(volatile unsigned*)address, seen;                                                           \
        while ((seen = cuda_on_hip_atomicCAS##suffix(address, old, old >= limit ? 0u : old + 1u)) != old) old = seen;  \
        return old;                                                                                                  \
    }                                                                                                                \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_atomicDec##suffix(unsigned* address, unsigned limit) {                       \
        unsigned old = *(volatile unsigned*)address, seen;                                                           \
        while ((seen = cuda_on_hip_atomicCAS##suffix(address, old, old == 0 || old > limit ? limit : old - 1u)) != old) \
            old = seen;                                                                                              \
        return old;                                                                                                  \
    }
CUDA_ON_HIP_ATOMICS(, __HIP_MEMORY_SCOPE_AGENT)
CUDA_ON_HIP_ATOMICS(_block, __HIP_MEMORY_SCOPE_WORKGROUP)
CUDA_ON_HIP_ATOMICS(_system, __HIP_MEMORY_SCOPE_SYSTEM)
#undef CUDA_ON_HIP_ATOMIC
#undef CUDA_ON_HIP_ATOMICS
#undef CUDA_ON_HIP_EXCHANGE_IF
