// The compiler's own atomic operations, __nv_atomic_*: in any order of memory, of values of 1 to 16 bytes.
//
// A host has one scope. Its orders have the numbers that the host's compiler has for them.
#pragma once
// Part for programs with names that begin with: __nv_atomic_ __NV_ATOMIC_ __NV_THREAD_SCOPE_

enum : int {
    __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST
};
enum : int {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

template <class T> using cuda_shim_value_of = typename cuda_shim_remove_cvref<T>::type;

template <class T> CUDA_SHIM_INLINE void __nv_atomic_load(T* p, cuda_shim_value_of<T>* value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    __atomic_load((cuda_shim_value_of<T>*)p, value, order);
}
template <class T> CUDA_SHIM_INLINE cuda_shim_value_of<T> __nv_atomic_load_n(T* p, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    cuda_shim_value_of<T> value;
    __atomic_load((cuda_shim_value_of<T>*)p, &value, order);
    return value;
}
template <class T> CUDA_SHIM_INLINE void __nv_atomic_store(T* p, const cuda_shim_value_of<T>* value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    cuda_shim_value_of<T> copy = *value;
    __atomic_store((cuda_shim_value_of<T>*)p, &copy, order);
}
template <class T> CUDA_SHIM_INLINE void __nv_atomic_store_n(T* p, cuda_shim_value_of<T> value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    __atomic_store((cuda_shim_value_of<T>*)p, &value, order);
}
template <class T> CUDA_SHIM_INLINE void __nv_atomic_exchange(T* p, const cuda_shim_value_of<T>* value, cuda_shim_value_of<T>* old, int order,
                                                              int = __NV_THREAD_SCOPE_SYSTEM) {
    cuda_shim_value_of<T> copy = *value;
    __atomic_exchange((cuda_shim_value_of<T>*)p, &copy, old, order);
}
template <class T> CUDA_SHIM_INLINE cuda_shim_value_of<T> __nv_atomic_exchange_n(T* p, cuda_shim_value_of<T> value, int order,
                                                                                 int = __NV_THREAD_SCOPE_SYSTEM) {
    cuda_shim_value_of<T> old;
    __atomic_exchange((cuda_shim_value_of<T>*)p, &value, &old, order);
    return old;
}
template <class T> CUDA_SHIM_INLINE bool __nv_atomic_compare_exchange(T* p, cuda_shim_value_of<T>* expected, cuda_shim_value_of<T>* desired, bool weak,
                                                                      int order, int failed, int = __NV_THREAD_SCOPE_SYSTEM) {
    (void)weak;
    return __atomic_compare_exchange((cuda_shim_value_of<T>*)p, expected, desired, false, order, failed);
}
template <class T> CUDA_SHIM_INLINE bool __nv_atomic_compare_exchange_n(T* p, cuda_shim_value_of<T>* expected, cuda_shim_value_of<T> desired, bool weak,
                                                                        int order, int failed, int = __NV_THREAD_SCOPE_SYSTEM) {
    (void)weak;
    return __atomic_compare_exchange((cuda_shim_value_of<T>*)p, expected, &desired, false, order, failed);
}

// Like cuda_shim_atomic_update, with a memory order.
template <class T, class F> CUDA_SHIM_INLINE T cuda_shim_ordered_update(T* p, int order, F next) {
    T old;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    for (;;) {
        T desired = next(old);
        if (__atomic_compare_exchange(p, &old, &desired, true, order, __ATOMIC_RELAXED)) return old;
    }
}
#define CUDA_SHIM_NV_ATOMIC(operation, expression)                                                            \
    template <class T> CUDA_SHIM_INLINE cuda_shim_value_of<T> __nv_atomic_fetch_##operation(                  \
        T* p, cuda_shim_value_of<T> v, int order, int = __NV_THREAD_SCOPE_SYSTEM) {                           \
        typedef cuda_shim_value_of<T> number;                                                                 \
        return cuda_shim_ordered_update((number*)p, order, [=](number old) { return (number)(expression); }); \
    }                                                                                                         \
    template <class T> CUDA_SHIM_INLINE void __nv_atomic_##operation(                                         \
        T* p, cuda_shim_value_of<T> v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {                     \
        __nv_atomic_fetch_##operation(p, v, order, scope);                                                    \
    }
CUDA_SHIM_INLINE float cuda_shim_wrapping_difference(float a, float b) { return a - b; }
CUDA_SHIM_INLINE double cuda_shim_wrapping_difference(double a, double b) { return a - b; }
template <class T> CUDA_SHIM_INLINE T cuda_shim_wrapping_difference(T a, T b) {
    return (T)((unsigned long long)a - (unsigned long long)b);
}
CUDA_SHIM_NV_ATOMIC(add, cuda_shim_wrapping_sum(old, v))
CUDA_SHIM_NV_ATOMIC(sub, cuda_shim_wrapping_difference(old, v))
CUDA_SHIM_NV_ATOMIC(and, old & v)
CUDA_SHIM_NV_ATOMIC(or, old | v)
CUDA_SHIM_NV_ATOMIC(xor, old ^ v)
CUDA_SHIM_NV_ATOMIC(min, v < old ? v : old)
CUDA_SHIM_NV_ATOMIC(max, old < v ? v : old)

CUDA_SHIM_INLINE void __nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM) { __atomic_thread_fence(order); }
