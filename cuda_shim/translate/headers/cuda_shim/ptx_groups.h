// The functions behind CUDA's cooperative groups, as PTX modules call them.
#pragma once
#pragma GCC system_header
#include <cooperative_groups.h>
#include <cuda_shim/ptx_module.h>

namespace cuda_shim_ptx {

// Scope 1 is the grid; there is none across devices.
CUDA_SHIM_PTX unsigned long long group_handle(unsigned scope) { return scope; }
CUDA_SHIM_PTX unsigned synchronize_group(unsigned long long handle, unsigned) {
    if (handle == 1) cooperative_groups::this_grid().sync();
    else cooperative_groups::this_thread_block().sync();
    return 0;
}
template <class T> CUDA_SHIM_PTX unsigned group_size(unsigned* count, T* threads, unsigned long long) {
    *threads = blockDim.x * blockDim.y * blockDim.z * gridDim.x * gridDim.y * gridDim.z;
    *count = 1;
    return 0;
}

}  // namespace cuda_shim_ptx
