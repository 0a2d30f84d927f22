// PTX's barriers with a number and a count of threads, some of which may only arrive. The threads of a block run one at
// a time, so that plain words hold what a barrier knows, and who waits looks at one until it changes.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_numbers.h>

namespace cuda_shim_ptx {

struct named_barrier {
    unsigned arrived;   // threads, in this phase
    unsigned waiting;   // how many of them wait
    unsigned counting;  // how many of them passed a true predicate
    unsigned counted;   // the same in the phase before,
    unsigned leaving;   // which so many have not seen yet
    unsigned phase;
};
// Checked kernels do not look at what is the barriers' own.
#define CUDA_SHIM_NAMED static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused))
// A block has them to itself, as its shared variables; they are no part of those, which programs ask the size of.
CUDA_SHIM_THREAD_STATE named_barrier named_barriers[16];

// Where a kernel begins: what another block left behind means nothing.
CUDA_SHIM_NAMED void named_begin() {
    if (cuda_shim_linear_thread() == 0) __builtin_memset(named_barriers, 0, sizeof named_barriers);
    __syncthreads();
}

// Warps arrive as a whole: lanes that the last warp of a block lacks are counted with its last one.
CUDA_SHIM_PTX unsigned named_threads() { return (cuda_shim_block_dim.x * cuda_shim_block_dim.y * cuda_shim_block_dim.z + 31) / 32 * 32; }
CUDA_SHIM_PTX unsigned named_weight() {
    const unsigned threads = cuda_shim_block_dim.x * cuda_shim_block_dim.y * cuda_shim_block_dim.z;
    return cuda_shim_linear_thread() + 1 == threads ? named_threads() - threads + 1 : 1;
}
CUDA_SHIM_PTX void named_check(unsigned number, unsigned threads) {
    if (number > 15) cuda_shim_services->trap(CUDA_SHIM_TRAP_TRAP, "a barrier has a number that is not below 16");
    if (threads == 0 || threads % 32 != 0)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_TRAP, "a barrier counts threads by 32");
}
// Returns the phase that the thread arrives in.
CUDA_SHIM_NAMED unsigned named_arrival(unsigned number, unsigned threads, bool waits, bool predicate) {
    named_check(number, threads);
    volatile named_barrier& barrier = named_barriers[number];
    __threadfence_block();
    while (barrier.leaving != 0) {}
    const unsigned phase = barrier.phase;
    barrier.waiting = barrier.waiting + waits;
    barrier.counting = barrier.counting + predicate;
    barrier.arrived = barrier.arrived + named_weight();
    if (barrier.arrived >= threads) {
        barrier.leaving = barrier.waiting;
        barrier.counted = barrier.counting;
        barrier.arrived = barrier.waiting = barrier.counting = 0;
        barrier.phase = phase + 1;
    }
    return phase;
}
CUDA_SHIM_PTX void named_arrive(unsigned number, unsigned threads) {
    // Who waits at barrier 0 for the whole block does not look here (named_sync).
    if (number == 0) cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "bar.arrive at barrier 0 has no counterpart");
    named_arrival(number, threads, false, false);
}
// Returns how many passed a true predicate.
CUDA_SHIM_NAMED unsigned named_sync(unsigned number, unsigned threads, bool predicate) {
    if (number == 0 && threads == named_threads()) return (unsigned)__syncthreads_count(predicate);
    const unsigned phase = named_arrival(number, threads, true, predicate);
    volatile named_barrier& barrier = named_barriers[number];
    while (barrier.phase == phase) {}
    const unsigned counted = barrier.counted;
    barrier.leaving = barrier.leaving - 1;
    __threadfence_block();
    return counted;
}

}  // namespace cuda_shim_ptx
