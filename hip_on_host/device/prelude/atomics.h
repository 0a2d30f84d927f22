// Atomic operations on every type that CUDA and HIP give them for. Relaxed order, as on a GPU; the scopes (_block,
// _system) make no difference on a host.
#pragma once

#define CUDA_SHIM_RELAXED __ATOMIC_RELAXED

// Any update of 1, 2, 4, 8 or 16 bytes, by compare and exchange; returns the old value. Compared as bits, so that a
// NaN or a negative zero in memory cannot make it spin.
template <class T, class F> CUDA_SHIM_INLINE T cuda_shim_atomic_update(T* address, F next) {
    T old;
    __atomic_load(address, &old, CUDA_SHIM_RELAXED);
    for (;;) {
        T wanted = next(old);
        if (__atomic_compare_exchange(address, &old, &wanted, true, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED)) return old;
    }
}

// Integers wrap around.
CUDA_SHIM_INLINE float cuda_shim_wrapping_sum(float a, float b) { return a + b; }
CUDA_SHIM_INLINE double cuda_shim_wrapping_sum(double a, double b) { return a + b; }
CUDA_SHIM_INLINE int cuda_shim_wrapping_sum(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
template <class T> CUDA_SHIM_INLINE T cuda_shim_wrapping_sum(T a, T b) {
    return (T)((unsigned long long)a + (unsigned long long)b);
}

// CUDA's own functions.
CUDA_SHIM_INLINE int atomicCAS(int* p, int compare, int v) {
    __atomic_compare_exchange_n(p, &compare, v, false, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED);
    return compare;
}
CUDA_SHIM_INLINE unsigned int atomicCAS(unsigned int* p, unsigned int compare, unsigned int v) {
    __atomic_compare_exchange_n(p, &compare, v, false, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED);
    return compare;
}
CUDA_SHIM_INLINE unsigned long long atomicCAS(unsigned long long* p, unsigned long long compare, unsigned long long v) {
    __atomic_compare_exchange_n(p, &compare, v, false, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED);
    return compare;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_atomic_min(T* p, T v) {
    T old;
    __atomic_load(p, &old, CUDA_SHIM_RELAXED);
    while (v < old && !__atomic_compare_exchange(p, &old, &v, true, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED)) {}
    return old;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_atomic_max(T* p, T v) {
    T old;
    __atomic_load(p, &old, CUDA_SHIM_RELAXED);
    while (old < v && !__atomic_compare_exchange(p, &old, &v, true, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED)) {}
    return old;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_atomic_exchange(T* p, T v) {
    T old;
    __atomic_exchange(p, &v, &old, CUDA_SHIM_RELAXED);
    return old;
}
#define CUDA_SHIM_ATOMIC(T, name, expression) \
    CUDA_SHIM_INLINE T name(T* p, T v) { return expression; }
#define CUDA_SHIM_ATOMICS_INTEGER(T)                                                  \
    CUDA_SHIM_ATOMIC(T, atomicAnd, __atomic_fetch_and(p, v, CUDA_SHIM_RELAXED))       \
    CUDA_SHIM_ATOMIC(T, atomicOr, __atomic_fetch_or(p, v, CUDA_SHIM_RELAXED))         \
    CUDA_SHIM_ATOMIC(T, atomicXor, __atomic_fetch_xor(p, v, CUDA_SHIM_RELAXED))       \
    CUDA_SHIM_ATOMIC(T, atomicExch, __atomic_exchange_n(p, v, CUDA_SHIM_RELAXED))     \
    CUDA_SHIM_ATOMIC(T, atomicAdd, __atomic_fetch_add(p, v, CUDA_SHIM_RELAXED))       \
    CUDA_SHIM_ATOMIC(T, atomicMin, cuda_shim_atomic_min(p, v))                        \
    CUDA_SHIM_ATOMIC(T, atomicMax, cuda_shim_atomic_max(p, v))
CUDA_SHIM_ATOMICS_INTEGER(int)
CUDA_SHIM_ATOMICS_INTEGER(unsigned int)
CUDA_SHIM_ATOMICS_INTEGER(unsigned long long)
CUDA_SHIM_ATOMIC(int, atomicSub, __atomic_fetch_sub(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_ATOMIC(unsigned int, atomicSub, __atomic_fetch_sub(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_ATOMIC(long long, atomicMin, cuda_shim_atomic_min(p, v))
CUDA_SHIM_ATOMIC(long long, atomicMax, cuda_shim_atomic_max(p, v))
CUDA_SHIM_ATOMIC(long long, atomicAnd, __atomic_fetch_and(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_ATOMIC(long long, atomicOr, __atomic_fetch_or(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_ATOMIC(long long, atomicXor, __atomic_fetch_xor(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_ATOMIC(float, atomicAdd, cuda_shim_atomic_update(p, [=](float old) { return old + v; }))
CUDA_SHIM_ATOMIC(double, atomicAdd, cuda_shim_atomic_update(p, [=](double old) { return old + v; }))
CUDA_SHIM_ATOMIC(float, atomicExch, cuda_shim_atomic_exchange(p, v))

#ifndef CUDA_SHIM_CUDA
// The functions that CUDA lacks and HIP in part has. The value may be of another type than the addressed one, as with
// functions that are no templates.
template <class T> struct cuda_shim_further_atomic { static constexpr bool number = false; };
#define CUDA_SHIM_FURTHER_ATOMIC(T) \
    template <> struct cuda_shim_further_atomic<T> { static constexpr bool number = true; typedef T type; };
CUDA_SHIM_FURTHER_ATOMIC(int)
CUDA_SHIM_FURTHER_ATOMIC(unsigned int)
CUDA_SHIM_FURTHER_ATOMIC(long)
CUDA_SHIM_FURTHER_ATOMIC(unsigned long)
CUDA_SHIM_FURTHER_ATOMIC(long long)
CUDA_SHIM_FURTHER_ATOMIC(unsigned long long)
CUDA_SHIM_FURTHER_ATOMIC(float)
CUDA_SHIM_FURTHER_ATOMIC(double)
#define CUDA_SHIM_FURTHER(name, expression)                                                                 \
    template <class T, class V = typename cuda_shim_further_atomic<T>::type>                                \
    CUDA_SHIM_INLINE T name(T* p, typename cuda_shim_further_atomic<T>::type v) { return expression; }
CUDA_SHIM_FURTHER(atomicAdd, __atomic_fetch_add(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_FURTHER(atomicSub, cuda_shim_atomic_update(p, [=](T old) { return (T)(old - v); }))
CUDA_SHIM_FURTHER(atomicExch, cuda_shim_atomic_exchange(p, v))
CUDA_SHIM_FURTHER(atomicMin, cuda_shim_atomic_min(p, v))
CUDA_SHIM_FURTHER(atomicMax, cuda_shim_atomic_max(p, v))
CUDA_SHIM_FURTHER(atomicAnd, __atomic_fetch_and(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_FURTHER(atomicOr, __atomic_fetch_or(p, v, CUDA_SHIM_RELAXED))
CUDA_SHIM_FURTHER(atomicXor, __atomic_fetch_xor(p, v, CUDA_SHIM_RELAXED))
template <class T, class V = typename cuda_shim_further_atomic<T>::type>
CUDA_SHIM_INLINE T atomicCAS(T* p, typename cuda_shim_further_atomic<T>::type compare, typename cuda_shim_further_atomic<T>::type v) {
    __atomic_compare_exchange(p, &compare, &v, false, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED);
    return compare;
}
#endif

// 16-bit compare and exchange, which locks on half precision values are made of.
CUDA_SHIM_INLINE unsigned short atomicCAS(unsigned short* p, unsigned short compare, unsigned short v) {
    __atomic_compare_exchange_n(p, &compare, v, false, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED);
    return compare;
}
CUDA_SHIM_INLINE unsigned int atomicInc(unsigned int* p, unsigned int limit) {
    return cuda_shim_atomic_update(p, [=](unsigned int old) { return old >= limit ? 0u : old + 1u; });
}
CUDA_SHIM_INLINE unsigned int atomicDec(unsigned int* p, unsigned int limit) {
    return cuda_shim_atomic_update(p, [=](unsigned int old) { return old == 0 || old > limit ? limit : old - 1u; });
}
// CUDA adds vectors element by element, each atomically, and exchanges 16 bytes, on GPUs that have clusters.
#if !defined(CUDA_SHIM_CUDA) || defined(CUDA_SHIM_HAS_CLUSTERS)
CUDA_SHIM_INLINE float2 atomicAdd(float2* p, float2 v) { return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)}; }
CUDA_SHIM_INLINE float4 atomicAdd(float4* p, float4 v) {
    return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w)};
}
template <class T> struct cuda_shim_sixteen_bytes : cuda_shim_enable_if<sizeof(T) == 16 && alignof(T) >= 16, T> {};
template <class T> CUDA_SHIM_INLINE typename cuda_shim_sixteen_bytes<T>::type atomicCAS(T* p, T compare, T v) {
    __atomic_compare_exchange(p, &compare, &v, false, CUDA_SHIM_RELAXED, CUDA_SHIM_RELAXED);
    return compare;
}
template <class T> CUDA_SHIM_INLINE typename cuda_shim_sixteen_bytes<T>::type atomicExch(T* p, T v) {
    return cuda_shim_atomic_exchange(p, v);
}
#endif

// `atomicAdd(&count, 1)` with an unsigned or 64-bit count: the value converts to the address's type, as in CUDA, whose
// overloads are no templates either. The scoped forms are templates in the address's type alone for the same reason, for
// the types that the others are for.
template <class T> struct cuda_shim_same { typedef T type; };
#define CUDA_SHIM_SCOPED_AS(name, plain)                                                                    \
    template <class T> CUDA_SHIM_INLINE auto name(T* p, typename cuda_shim_same<T>::type v) -> decltype(plain(p, v)) { \
        return plain(p, v);                                                                                 \
    }
#define CUDA_SHIM_SCOPED(name) CUDA_SHIM_SCOPED_AS(name##_block, name) CUDA_SHIM_SCOPED_AS(name##_system, name)
CUDA_SHIM_SCOPED(atomicAdd)
CUDA_SHIM_SCOPED(atomicSub)
CUDA_SHIM_SCOPED(atomicExch)
CUDA_SHIM_SCOPED(atomicMin)
CUDA_SHIM_SCOPED(atomicMax)
CUDA_SHIM_SCOPED(atomicAnd)
CUDA_SHIM_SCOPED(atomicOr)
CUDA_SHIM_SCOPED(atomicXor)
CUDA_SHIM_SCOPED(atomicInc)
CUDA_SHIM_SCOPED(atomicDec)
#define CUDA_SHIM_SCOPED_CAS(name)                                                                          \
    template <class T>                                                                                      \
    CUDA_SHIM_INLINE auto name(T* p, typename cuda_shim_same<T>::type compare, typename cuda_shim_same<T>::type v) \
        -> decltype(atomicCAS(p, compare, v)) {                                                             \
        return atomicCAS(p, compare, v);                                                                    \
    }
CUDA_SHIM_SCOPED_CAS(atomicCAS_block)
CUDA_SHIM_SCOPED_CAS(atomicCAS_system)
#ifndef CUDA_SHIM_CUDA
// HIP's names for additions that may use the hardware's own floating point atomics.
template <class T> CUDA_SHIM_INLINE T unsafeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }
template <class T> CUDA_SHIM_INLINE T safeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }
template <class T> CUDA_SHIM_INLINE T atomicAddNoRet(T* p, T v) { return atomicAdd(p, v); }
#endif
