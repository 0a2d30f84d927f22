// Kernels that go wrong, each in its own way.
#include "module.h"

namespace {

void bad_pointer(const CudaShimKernelRun* run) {
    auto* out = argument<int*>(run, 0);
    each_thread(run, [&](uint64_t block, uint32_t thread) { out[block * block_size(run) + thread] = 1; });
}

void divide(const CudaShimKernelRun* run) {
    auto* values = argument<volatile int*>(run, 0);
    each_thread(run, [&](uint64_t, uint32_t) { values[0] = values[1] / values[2]; });
}

void illegal(const CudaShimKernelRun*) {
#if defined(__aarch64__)
    asm volatile("udf #0");  // __builtin_trap is a breakpoint there
#else
    __builtin_trap();
#endif
}

void assertion(const CudaShimKernelRun* run) {
    each_thread(run, [&](uint64_t, uint32_t) {
        services->trap(CUDA_SHIM_TRAP_ASSERT, "kernel.cu:12: void check(int): block: [0,0,0], thread: [0,0,0] "
                                              "Assertion `i < n` failed.");
    });
}

void trapping(const CudaShimKernelRun*) { services->trap(CUDA_SHIM_TRAP_TRAP, "__trap()"); }

__attribute__((noinline)) int recurse(int depth) {
    volatile char frame[4096];
    frame[depth % 4096] = 1;
    return depth < 0 ? 0 : recurse(depth + 1) + frame[depth % 4096];
}
void overflow(const CudaShimKernelRun* run) {
    each_thread(run, [&](uint64_t, uint32_t thread) {
        volatile int result = recurse(static_cast<int>(thread));
        (void)result;
    });
}

// Half a warp names lanes that wait at the block's barrier.
void deadlock(const CudaShimKernelRun* run) {
    each_thread(run, [&](uint64_t, uint32_t thread) {
        uint64_t active;
        if (thread < 16) services->warp_exchange(run->block_scheduler, thread, 0, 0x00ffffff, &active);
        services->block_barrier(run->block_scheduler, 0);
    });
}

}  // namespace

MODULE(kernel<int*>("bad_pointer", bad_pointer), kernel<int*>("bad_pointer_on_fibres", bad_pointer, true),
       kernel<int*>("divide", divide), kernel<>("illegal", illegal), kernel<>("assertion", assertion),
       kernel<>("trapping", trapping), kernel<>("overflow", overflow), kernel<>("overflow_on_fibres", overflow, true),
       kernel<>("deadlock", deadlock, true))
