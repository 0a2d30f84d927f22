// PTX's instructions that involve other threads: matches, barriers of some threads, and matrices held by a whole warp.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_barriers.h>
#include <cuda_shim/ptx_clusters.h>
#include <cuda_shim/ptx_memory.h>
#if !defined(__AMDGCN__)
#include <cuda_shim/ptx_boxes.h>
#include <cuda_shim/ptx_fragments.h>
#include <cuda_shim/ptx_warpgroups.h>
#define CUDA_SHIM_ON_HOSTS(...) (__VA_ARGS__)
#else
#include <cuda_shim/ptx_matrices_by_lane.h>
#define CUDA_SHIM_ON_HOSTS(...) cuda_shim_ptx::needs_hosts()
#endif

namespace cuda_shim_ptx {

#if defined(__AMDGCN__)
__attribute__((unavailable("inline PTX: clusters, bulk copies, mbarriers and 'wgmma' have no counterpart on an AMD GPU")))
CUDA_SHIM_PTX unsigned needs_hosts() { return 0; }
// An address of shared memory, as programs keep it in a register.
template <class T> CUDA_SHIM_PTX char* shared_place(T number, long offset) {
    return (char*)(__attribute__((address_space(3))) char*)((unsigned)number + (unsigned)offset);
}
// The copy is done at once, so that waiting for copies is a no-op. The bytes beyond `given` become zero.
template <int Bytes, class From> CUDA_SHIM_PTX void copy_async(char* to, From* from, unsigned given) {
    if (given >= Bytes)
        __builtin_memcpy(__builtin_assume_aligned(to, Bytes), __builtin_assume_aligned((const void*)from, Bytes), Bytes);
    else
        copy(to, (const char*)from, Bytes, given);
}
CUDA_SHIM_PTX void copies_are_made() {}
#endif

template <class T, class Second> CUDA_SHIM_PTX unsigned match_all(T value, unsigned mask, Second&& all) {
    int same = 0;
    const unsigned found = (unsigned)__match_all_sync(mask, value, &same);
    all = same != 0;
    return found;
}

}  // namespace cuda_shim_ptx
