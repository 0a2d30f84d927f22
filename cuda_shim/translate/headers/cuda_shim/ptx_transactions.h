// PTX's asynchronous barriers, which count arrivals and bytes, and the copies of rows of bytes that complete them.
// A copy runs where it is issued, so waiting for groups of copies has nothing to wait for.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_clusters.h>
#include <cuda_shim/ptx_memory.h>

namespace cuda_shim_ptx {

typedef unsigned long long barrier_word;

// The pointer to a block's shared memory whose low 32 bits are the number; null if the number is not in that memory.
CUDA_SHIM_PTX char* place_in_block(unsigned low, char* variables, unsigned long variable_bytes, char* dynamic) {
    const unsigned in_variables = low - (unsigned)(unsigned long)variables, in_dynamic = low - (unsigned)(unsigned long)dynamic;
    if (variables && in_variables < variable_bytes) return variables + in_variables;
    return dynamic && in_dynamic < cuda_shim_run->dynamic_shared_bytes ? dynamic + in_dynamic : nullptr;
}

// The pointer to shared memory for an address of which programs keep 32 bits. Static and dynamic shared memory have two
// bases: the nearer one is meant. In a cluster, the number may be of another block.
template <class T> CUDA_SHIM_PTX char* shared_place(T number, long offset) {
    if (sizeof(T) > 4 && ((unsigned long)number >> 32) != 0) return (char*)(unsigned long)number + offset;
    const unsigned low = (unsigned)(unsigned long)number;
    char *fixed = (char*)&cuda_shim_block_dim, *dynamic = (char*)cuda_shim_run->dynamic_shared;
    if (const CudaShimCluster* cluster = cuda_shim_run->cluster) {
        for (unsigned rank = 0; rank < cluster_blocks(); ++rank) {
            const CudaShimSharedPlace& block = cluster->blocks[rank];
            if (char* place = place_in_block(low, block.variables, cluster->variable_bytes, block.dynamic_shared)) return place + offset;
        }
    }
    const int from_fixed = (int)(low - (unsigned)(unsigned long)fixed), from_dynamic = (int)(low - (unsigned)(unsigned long)dynamic);
    const bool nearer = !dynamic || __builtin_labs(from_fixed) <= __builtin_labs(from_dynamic);
    return (nearer ? fixed + from_fixed : dynamic + from_dynamic) + offset;
}

// The counterpart of a block's shared memory in another block of the cluster.
CUDA_SHIM_PTX char* place_of_rank(char* at, unsigned rank) {
    const CudaShimCluster* cluster = cuda_shim_run->cluster;
    if (!cluster) return at;
    for (unsigned from = 0; from < cluster_blocks(); ++from) {
        const CudaShimSharedPlace& block = cluster->blocks[from];
        const unsigned long in_variables = (unsigned long)(at - block.variables), in_dynamic = (unsigned long)(at - block.dynamic_shared);
        if (block.variables && in_variables < cluster->variable_bytes) return cluster->blocks[rank].variables + in_variables;
        if (block.dynamic_shared && in_dynamic < cuda_shim_run->dynamic_shared_bytes) return cluster->blocks[rank].dynamic_shared + in_dynamic;
    }
    return at;
}
CUDA_SHIM_PTX unsigned rank_of_place(char* at) {
    const CudaShimCluster* cluster = cuda_shim_run->cluster;
    for (unsigned rank = 0; cluster && rank < cluster_blocks(); ++rank)
        if (place_of_rank(at, rank) == at) return rank;
    return 0;
}

// A barrier in its 64 bits: 20 bits of pending arrivals, 20 of expected ones, 22 of bytes to come, with their sign, and
// the parity of the phase in the highest.
CUDA_SHIM_PTX unsigned barrier_pending(barrier_word word) { return (unsigned)word & 0xfffff; }
CUDA_SHIM_PTX unsigned barrier_expected(barrier_word word) { return (unsigned)(word >> 20) & 0xfffff; }
CUDA_SHIM_PTX int barrier_bytes(barrier_word word) { return (int)((long long)(word << 2) >> 42); }
CUDA_SHIM_PTX unsigned barrier_parity(barrier_word word) { return (unsigned)(word >> 63); }

// Moves a barrier on, which completes the phase where neither arrivals nor bytes are missing. Returns its state before.
CUDA_SHIM_PTX barrier_word barrier_change(char* at, unsigned arrivals, unsigned dropped, int bytes) {
    barrier_word* word = (barrier_word*)at;
    barrier_word before = __atomic_load_n(word, __ATOMIC_ACQUIRE), after;
    do {
        unsigned pending = barrier_pending(before) - arrivals;
        const unsigned expected = barrier_expected(before) - dropped;
        const int missing = barrier_bytes(before) + bytes;
        barrier_word parity = barrier_parity(before);
        if (pending == 0 && missing == 0) pending = expected, parity ^= 1;
        after = (barrier_word)(pending & 0xfffff) | (barrier_word)(expected & 0xfffff) << 20 |
                (barrier_word)((unsigned)missing & 0x3fffff) << 40 | parity << 63;
    } while (!__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return before;
}

CUDA_SHIM_PTX void mbarrier_init(char* at, unsigned count) {
    __atomic_store_n((barrier_word*)at, (barrier_word)count | (barrier_word)count << 20, __ATOMIC_RELEASE);
}
CUDA_SHIM_PTX void mbarrier_inval(char* at) { __atomic_store_n((barrier_word*)at, 0, __ATOMIC_RELEASE); }
CUDA_SHIM_PTX barrier_word mbarrier_arrive(char* at, unsigned count = 1) { return barrier_change(at, count, 0, 0); }
CUDA_SHIM_PTX barrier_word mbarrier_arrive_drop(char* at, unsigned count = 1) { return barrier_change(at, count, count, 0); }
CUDA_SHIM_PTX void mbarrier_expect(char* at, unsigned bytes) { barrier_change(at, 0, 0, (int)bytes); }
CUDA_SHIM_PTX void mbarrier_complete(char* at, unsigned bytes) { barrier_change(at, 0, 0, -(int)bytes); }
CUDA_SHIM_PTX barrier_word mbarrier_arrive_expect(char* at, unsigned bytes) {
    mbarrier_expect(at, bytes);
    return mbarrier_arrive(at);
}
CUDA_SHIM_PTX barrier_word mbarrier_drop_expect(char* at, unsigned bytes) {
    mbarrier_expect(at, bytes);
    return mbarrier_arrive_drop(at);
}
// The phase with this parity, or that of this state, is complete when the barrier is in the other one. The last
// number is how long a thread may wait in the instruction, which returns at once here.
CUDA_SHIM_PTX bool mbarrier_is_past(char* at, unsigned parity, unsigned = 0) {
    return barrier_parity(__atomic_load_n((barrier_word*)at, __ATOMIC_ACQUIRE)) != (parity & 1);
}
CUDA_SHIM_PTX bool mbarrier_is_complete(char* at, barrier_word state, unsigned = 0) { return mbarrier_is_past(at, barrier_parity(state)); }

// Copies of rows of bytes. With a mask, each block of the cluster that it names gets the bytes, and its barrier.
CUDA_SHIM_PTX void bulk_copy(char* to, const char* from, unsigned bytes) { __builtin_memcpy(to, from, bytes); }
CUDA_SHIM_PTX void bulk_copy(char* to, const char* from, unsigned bytes, char* barrier) {
    __builtin_memcpy(to, from, bytes);
    mbarrier_complete(barrier, bytes);
}
CUDA_SHIM_PTX void bulk_multicast(char* to, const char* from, unsigned bytes, char* barrier, unsigned mask) {
    for (unsigned rank = 0; rank < cluster_blocks(); ++rank)
        if (mask >> rank & 1) bulk_copy(place_of_rank(to, rank), from, bytes, place_of_rank(barrier, rank));
}

// Reductions of one element, by the names that PTX gives them.
struct reduce_add { template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) { atomic_add(at, value); } };
struct reduce_inc { template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) { atomic_inc(at, value); } };
struct reduce_dec { template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) { atomic_dec(at, value); } };
struct reduce_and { template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) { atomic_and(at, value); } };
struct reduce_or { template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) { atomic_or(at, value); } };
struct reduce_xor { template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) { atomic_xor(at, value); } };
template <bool Larger> struct reduce_extreme {
    template <class T> CUDA_SHIM_PTX_MEMBER static void run(T* at, T value) {
        if constexpr (Larger) atomic_max(at, value);
        else atomic_min(at, value);
    }
    template <class T> CUDA_SHIM_PTX_MEMBER static void narrow(T* at, T value) {
        atomic_short((unsigned short*)at, [=](unsigned short old) {
            const float left = (float)as<T>(old), right = (float)value;
            const bool keeps = right != right || (Larger ? left >= right : left <= right);
            return keeps ? old : as<unsigned short>(value);
        });
    }
    CUDA_SHIM_PTX_MEMBER static void run(_Float16* at, _Float16 value) { narrow(at, value); }
    CUDA_SHIM_PTX_MEMBER static void run(bfloat* at, bfloat value) { narrow(at, value); }
};
typedef reduce_extreme<false> reduce_min;
typedef reduce_extreme<true> reduce_max;

template <class T, class Operation> CUDA_SHIM_PTX void bulk_reduce(char* to, const char* from, unsigned bytes) {
    for (unsigned i = 0; i < bytes / sizeof(T); ++i) Operation::run((T*)to + i, ((const T*)from)[i]);
}
template <class T, class Operation> CUDA_SHIM_PTX void bulk_reduce(char* to, const char* from, unsigned bytes, char* barrier) {
    bulk_reduce<T, Operation>(to, from, bytes);
    mbarrier_complete(barrier, bytes);
}

// A thread's own store, or reduction, in another block's memory.
template <class T, class... Values> CUDA_SHIM_PTX void store_async(char* to, char* barrier, Values... values) {
    const T all[] = {(T)values...};
    __builtin_memcpy(to, all, sizeof all);
    mbarrier_complete(barrier, sizeof all);
}
template <class T, class Operation> CUDA_SHIM_PTX void reduce_async(char* to, T value, char* barrier) {
    Operation::run((T*)to, value);
    mbarrier_complete(barrier, sizeof(T));
}

}  // namespace cuda_shim_ptx
