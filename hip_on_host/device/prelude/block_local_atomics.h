// Atomic operations on the shared memory of a block that one host thread runs (kernel_compiler/split/block_local_atomics.h):
// no other thread can see the state between reading and writing, unless there are other blocks of a cluster.
#pragma once

struct cuda_shim_block_local {
    const bool alone;

    CUDA_SHIM_ROW_MEMBER explicit cuda_shim_block_local(bool no_cluster) : alone(no_cluster) {}
#define CUDA_SHIM_BLOCK_LOCAL_ATOMIC(name, next)                                                                       \
    template <class T>                                                                                                 \
    CUDA_SHIM_FACT(block_local) CUDA_SHIM_ROW_MEMBER T name(T* p, typename cuda_shim_same<T>::type v) const {          \
        if (!alone) return ::name(p, v);                                                                               \
        const T old = *p;                                                                                              \
        *p = (T)(next);                                                                                                \
        return old;                                                                                                    \
    }
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicAdd, cuda_shim_wrapping_sum(old, v))
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicSub, cuda_shim_wrapping_sum(old, (T)(0 - (unsigned long long)v)))
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicExch, v)
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicMin, v < old ? v : old)
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicMax, old < v ? v : old)
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicAnd, old & v)
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicOr, old | v)
    CUDA_SHIM_BLOCK_LOCAL_ATOMIC(atomicXor, old ^ v)
#undef CUDA_SHIM_BLOCK_LOCAL_ATOMIC
    template <class T>
    CUDA_SHIM_FACT(block_local)
    CUDA_SHIM_ROW_MEMBER T atomicCAS(T* p, typename cuda_shim_same<T>::type compare, typename cuda_shim_same<T>::type v) const {
        if (!alone) return ::atomicCAS(p, compare, v);
        const T old = *p;
        if (old == compare) *p = v;
        return old;
    }
};
