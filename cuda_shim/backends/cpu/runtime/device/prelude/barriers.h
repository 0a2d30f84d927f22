// Block-wide barriers, as fibres run them. (Kernels that hiprtc splits at their barriers never call these: there the
// barrier is the gap between two thread loops.)
#pragma once

// Another thread of the block runs while this one waits, on the same worker thread: whoever resumes puts its own index
// back. The empty assembler statement keeps the compiler from holding the index in a register across the wait.
struct cuda_shim_resume {
    uint3 index;
    __attribute__((always_inline)) cuda_shim_resume() : index(cuda_shim_thread_index) {}
    __attribute__((always_inline)) ~cuda_shim_resume() {
        asm volatile("" : "+m"(cuda_shim_thread_index) : : "memory");
        cuda_shim_thread_index = index;
    }
};

// Kernels whose text shows no barrier run without fibres. Should one reach a barrier all the same, it must not go on.
CUDA_SHIM_INLINE void* cuda_shim_block_scheduler() {
    if (!cuda_shim_run->block_scheduler)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "a kernel waits for threads where hiprtc saw no barrier in it");
    return cuda_shim_run->block_scheduler;
}
CUDA_SHIM_INLINE int __syncthreads_count(int predicate) {
    cuda_shim_resume resume;
    return cuda_shim_services->block_barrier(cuda_shim_block_scheduler(), predicate != 0);
}
CUDA_SHIM_INLINE void __syncthreads() { __syncthreads_count(0); }
CUDA_SHIM_INLINE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
CUDA_SHIM_INLINE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }
CUDA_SHIM_INLINE void __syncblock() { __syncthreads(); }
#define __barrier_sync(id) __syncthreads()

CUDA_SHIM_INLINE void cuda_shim_grid_barrier() {
    cuda_shim_resume resume;
    cuda_shim_services->grid_barrier(cuda_shim_run->grid_scheduler, cuda_shim_run->block_scheduler);
}
