// Conversions between pointers and the addresses of one memory: constant memory is part of the device's on AMD's GPUs.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

CUDA_ON_HIP_DEVICE size_t cuda_on_hip_cvta_generic_to_global(const void* pointer) { return (size_t)pointer; }
CUDA_ON_HIP_DEVICE void* cuda_on_hip_cvta_global_to_generic(size_t address) { return (void*)address; }
#if defined(__AMDGCN__)
CUDA_ON_HIP_DEVICE size_t cuda_on_hip_cvta_generic_to_local(const void* pointer) {
    return (size_t)(unsigned)(size_t)(__attribute__((address_space(5))) const void*)pointer;
}
CUDA_ON_HIP_DEVICE void* cuda_on_hip_cvta_local_to_generic(size_t address) {
    return (void*)(__attribute__((address_space(5))) void*)(unsigned)address;
}
CUDA_ON_HIP_DEVICE void* cuda_on_hip_cvta_shared_to_generic(size_t address) {
    return (void*)(__attribute__((address_space(3))) void*)(unsigned)address;
}
#endif
