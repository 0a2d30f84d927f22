// Block-wide barriers, as fibres run them. (Kernels that hiprtc splits at their barriers never call these: there the
// barrier is the gap between two thread loops.)
#pragma once

// Another thread of the block runs while this one waits, on the same worker thread: the resumed thread restores its own
// index. The empty assembler statement keeps the compiler from holding the index in a register across the wait.
struct cuda_shim_resume {
    uint3 index;
    __attribute__((always_inline)) cuda_shim_resume() : index(cuda_shim_thread_index) {}
    __attribute__((always_inline)) ~cuda_shim_resume() {
        asm volatile("" : "+m"(cuda_shim_thread_index) : : "memory");
        cuda_shim_thread_index = index;
    }
};

// For a thread that is about to wait. Kernels that may wait where no barrier is seen begin as a loop over their threads;
// from here on each of them has a stack of its own.
CUDA_SHIM_INLINE void* cuda_shim_block_scheduler() {
    if (__builtin_expect(!cuda_shim_run->on_fibres, 0))
        cuda_shim_services->begin_fibres(cuda_shim_run->block_scheduler, cuda_shim_linear_thread());
    return cuda_shim_run->block_scheduler;
}

// Called in every round of a loop that may wait for memory which others write (kernel_compiler/analyse/spin_waits.h). Most such
// loops end after a few rounds; the others let other threads and blocks run, as they would on a GPU.
static CUDA_SHIM_UNCHECKED __attribute__((noinline, cold, unused)) void cuda_shim_spin() {
    cuda_shim_resume resume;
    const bool can_switch = cuda_shim_run->on_fibres || cuda_shim_run->block_scheduler;
    cuda_shim_rounds = cuda_shim_services->spin(can_switch ? cuda_shim_block_scheduler() : nullptr);
}
CUDA_SHIM_INLINE void cuda_shim_round() {
    if (__builtin_expect(--cuda_shim_rounds < 0, 0)) cuda_shim_spin();
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __syncthreads_count(int predicate) {
    cuda_shim_resume resume;
    return cuda_shim_services->block_barrier(cuda_shim_block_scheduler(), predicate != 0);
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __syncthreads() { __syncthreads_count(0); }
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }
#ifndef CUDA_SHIM_CUDA
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __syncblock() { __syncthreads(); }
#endif
#define __barrier_sync(id) __syncthreads()

// PTX's named barriers. `how`: CudaShimNamedBarrier.
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE unsigned int cuda_shim_named_barrier(unsigned int number, unsigned int threads, unsigned int how) {
    cuda_shim_resume resume;
    return cuda_shim_services->named_barrier(cuda_shim_block_scheduler(), number, threads, how);
}

CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __barrier_sync_count(unsigned int number, unsigned int threads) {
    cuda_shim_named_barrier(number, threads, CUDA_SHIM_NAMED_COUNTED | CUDA_SHIM_NAMED_WAITS);
}

CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void cuda_shim_grid_barrier() {
    cuda_shim_resume resume;
    void* const scheduler = cuda_shim_run->block_scheduler ? cuda_shim_block_scheduler() : nullptr;
    cuda_shim_services->grid_barrier(cuda_shim_run->grid_scheduler, scheduler);
}
// All blocks of a cluster, or the one block of a launch without clusters.
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void cuda_shim_cluster_barrier() {
    const CudaShimCluster* cluster = cuda_shim_run->cluster;
    if (!cluster) return __syncthreads();
    cuda_shim_resume resume;
    void* const scheduler = cuda_shim_run->block_scheduler ? cuda_shim_block_scheduler() : nullptr;
    cuda_shim_services->grid_barrier(cluster->barrier, scheduler);
}
