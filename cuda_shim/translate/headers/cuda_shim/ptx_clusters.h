// A block's place in its cluster, which is one block where a launch has no clusters, as on an AMD GPU.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx.h>

namespace cuda_shim_ptx {

#if defined(__AMDGCN__)
CUDA_SHIM_PTX bool cluster_is_explicit() { return false; }
CUDA_SHIM_PTX unsigned cluster_size(int) { return 1; }
#else
CUDA_SHIM_PTX bool cluster_is_explicit() { return cuda_shim_run->cluster != nullptr; }
CUDA_SHIM_PTX unsigned cluster_size(int axis) { return cuda_shim_run->cluster ? cuda_shim_run->cluster->size[axis] : 1; }
// The blocks meet where they wait: their work between arriving and waiting precedes the meeting all the same.
CUDA_SHIM_PTX void cluster_arrive() { __atomic_thread_fence(__ATOMIC_RELEASE); }
CUDA_SHIM_PTX void cluster_wait() { cuda_shim_cluster_barrier(); }
#endif
CUDA_SHIM_PTX unsigned cluster_blocks() { return cluster_size(0) * cluster_size(1) * cluster_size(2); }
CUDA_SHIM_PTX unsigned cluster_block(int axis) {
    return (axis == 0 ? blockIdx.x : axis == 1 ? blockIdx.y : blockIdx.z) % cluster_size(axis);
}
CUDA_SHIM_PTX unsigned cluster_rank() {
    return cluster_block(0) + cluster_size(0) * (cluster_block(1) + cluster_size(1) * cluster_block(2));
}

}  // namespace cuda_shim_ptx
