// PTX's barriers with a number and a count of threads, some of which may only arrive. The runtime has them; that of all
// threads, which has the number 0, is __syncthreads.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_numbers.h>

namespace cuda_shim_ptx {

#if defined(__AMDGCN__)
#define CUDA_SHIM_NAMED \
    __attribute__((unavailable("inline PTX: barriers with a number or a count of threads have no counterpart on an AMD GPU"))) CUDA_SHIM_PTX
CUDA_SHIM_NAMED void named_arrive(unsigned, unsigned) {}
CUDA_SHIM_NAMED unsigned named_sync(unsigned, bool) { return 0; }
CUDA_SHIM_NAMED unsigned named_sync(unsigned, unsigned, bool) { return 0; }
#else
// Barriers of a module that may arrive at barrier 0 without waiting, which __syncthreads does not support.
CUDA_SHIM_PTX void counted_arrive(unsigned number, unsigned threads) {
    cuda_shim_named_barrier(number, threads, CUDA_SHIM_NAMED_COUNTED);
}
CUDA_SHIM_PTX unsigned counted_sync(unsigned number, unsigned threads, bool predicate) {
    return cuda_shim_named_barrier(number, threads, CUDA_SHIM_NAMED_COUNTED | CUDA_SHIM_NAMED_WAITS | (predicate ? CUDA_SHIM_NAMED_PREDICATE : 0));
}
CUDA_SHIM_PTX unsigned counted_sync(unsigned number, bool predicate) {
    return cuda_shim_named_barrier(number, 0, CUDA_SHIM_NAMED_WAITS | (predicate ? CUDA_SHIM_NAMED_PREDICATE : 0));
}
CUDA_SHIM_PTX void named_arrive(unsigned number, unsigned threads) {
    if (number == 0) cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "bar.arrive at barrier 0 has no counterpart here");
    counted_arrive(number, threads);
}
// They return the number of threads that passed a true predicate.
CUDA_SHIM_PTX unsigned named_sync(unsigned number, unsigned threads, bool predicate) {
    // A block's last warp counts as a whole.
    const unsigned all = (cuda_shim_block_dim.x * cuda_shim_block_dim.y * cuda_shim_block_dim.z + 31) / 32 * 32;
    return number == 0 && threads == all ? (unsigned)__syncthreads_count(predicate) : counted_sync(number, threads, predicate);
}
CUDA_SHIM_PTX unsigned named_sync(unsigned number, bool predicate) {
    return number == 0 ? (unsigned)__syncthreads_count(predicate) : counted_sync(number, predicate);
}
#endif

}  // namespace cuda_shim_ptx
