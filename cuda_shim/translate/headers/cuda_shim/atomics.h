// CUDA's atomics for every type and scope.
//
// Templates, so that a program's own overload of the same name, which is common for float and double, is preferred
// instead of clashing. HIP leaves out signed 64-bit and 16-bit ones and most scopes.
//
// Any of them may meet memory of the host, pinned or managed. There PCIe has additions of integers, exchanges and
// compare-and-swap alone, and some GPUs drop an addition of floats: the other instructions are lost without a message.
// An attribute tells the compiler which memory it may be, and the compiler chooses for each GPU; a compiler without the
// attribute gets loops of compare-and-swap. CUDA_ON_HIP_FAST_ATOMICS says that the memory is the GPU's
// own (the setting fast_atomics).
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

#if defined(__has_extension)
#if __has_extension(clang_atomic_attributes)
#if defined(CUDA_ON_HIP_FAST_ATOMICS)
#define CUDA_ON_HIP_ATOMIC_MEMORY [[clang::atomic(no_fine_grained_memory, no_remote_memory, ignore_denormal_mode)]]
#else
#define CUDA_ON_HIP_ATOMIC_MEMORY [[clang::atomic(fine_grained_memory, remote_memory)]]
#endif
#endif
#endif

// The type itself, in a form from which it is not deduced: the address alone decides it.
template <class T> struct cuda_on_hip_same {
    using type = T;
};

#if defined(__AMDGCN__)
#if defined(CUDA_ON_HIP_ATOMIC_MEMORY)
// The attribute needs a statement of its own, in braces.
#define CUDA_ON_HIP_FETCH(fetch, changed, scope)                                \
    CUDA_ON_HIP_ATOMIC_MEMORY {                                                 \
        return __hip_atomic_##fetch(address, value, __ATOMIC_RELAXED, scope);   \
    }
#elif defined(CUDA_ON_HIP_FAST_ATOMICS)
#define CUDA_ON_HIP_FETCH(fetch, changed, scope) return __hip_atomic_##fetch(address, value, __ATOMIC_RELAXED, scope);
#else
// Change a value by compare-and-swap of its bits. Returns the old one.
template <int Scope, class T, class Change> CUDA_ON_HIP_DEVICE T cuda_on_hip_swap_until(T* address, Change change) {
    using Bits = typename cuda_on_hip_choose<sizeof(T) == 8, unsigned long long, unsigned>::type;
    Bits* const word = (Bits*)address;
    Bits old = *(const volatile Bits*)word;
    while (!__hip_atomic_compare_exchange_strong(word, &old, cuda_on_hip_bits<Bits>(change(cuda_on_hip_bits<T>(old))),
                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED, Scope)) {
    }
    return cuda_on_hip_bits<T>(old);
}
CUDA_ON_HIP_DEVICE bool cuda_on_hip_in_shared(const void* pointer) {
    return __builtin_amdgcn_is_shared((__attribute__((address_space(0))) void*)pointer);
}
// Compilers of this age expand float additions to loops themselves. In shared memory every instruction is available.
#define CUDA_ON_HIP_FETCH(fetch, changed, scope) CUDA_ON_HIP_FETCH_##fetch(fetch, changed, scope)
#define CUDA_ON_HIP_FETCH_exchange(fetch, changed, scope)                              \
    return __hip_atomic_##fetch(address, value, __ATOMIC_RELAXED, scope);
#define CUDA_ON_HIP_FETCH_fetch_add CUDA_ON_HIP_FETCH_exchange
#define CUDA_ON_HIP_FETCH_LOOP(fetch, changed, scope)                                  \
    if (cuda_on_hip_in_shared(address)) return __hip_atomic_##fetch(address, value, __ATOMIC_RELAXED, scope); \
    return cuda_on_hip_swap_until<scope>(address, [=](T old) -> T { return changed; });
#define CUDA_ON_HIP_FETCH_fetch_min CUDA_ON_HIP_FETCH_LOOP
#define CUDA_ON_HIP_FETCH_fetch_max CUDA_ON_HIP_FETCH_LOOP
#define CUDA_ON_HIP_FETCH_fetch_and CUDA_ON_HIP_FETCH_LOOP
#define CUDA_ON_HIP_FETCH_fetch_or CUDA_ON_HIP_FETCH_LOOP
#define CUDA_ON_HIP_FETCH_fetch_xor CUDA_ON_HIP_FETCH_LOOP
#endif
#define CUDA_ON_HIP_ATOMIC(name, suffix, fetch, changed, scope)                                                        \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_##name##suffix(T* address, typename cuda_on_hip_same<T>::type value) {                \
        CUDA_ON_HIP_FETCH(fetch, changed, scope)                                                                     \
    }
#define CUDA_ON_HIP_EXCHANGE_IF(suffix, scope)                                                                         \
    template <class T>                                                                                               \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_atomicCAS##suffix(T* address, typename cuda_on_hip_same<T>::type compare,             \
                                                   typename cuda_on_hip_same<T>::type value) {                         \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);   \
        return compare;                                                                                              \
    }
#else  // a HIP whose atomics have one scope
#define CUDA_ON_HIP_ATOMIC(name, suffix, fetch, changed, scope)                                                        \
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
    CUDA_ON_HIP_ATOMIC(atomicAdd, suffix, fetch_add, old + value, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicMin, suffix, fetch_min, value < old ? value : old, scope)                                 \
    CUDA_ON_HIP_ATOMIC(atomicMax, suffix, fetch_max, old < value ? value : old, scope)                                 \
    CUDA_ON_HIP_ATOMIC(atomicAnd, suffix, fetch_and, old & value, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicOr, suffix, fetch_or, old | value, scope)                                                 \
    CUDA_ON_HIP_ATOMIC(atomicXor, suffix, fetch_xor, old ^ value, scope)                                               \
    CUDA_ON_HIP_ATOMIC(atomicExch, suffix, exchange, value, scope)                                                     \
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
#undef CUDA_ON_HIP_FETCH
