// Stands for CUDA's header of this name: the runtime functions that kernels may call. They launch no kernels here.
// Programmatic dependent launches begin after the kernels that they depend on, so there is nothing to wait for.
#pragma once
#include "../prelude/host_names.h"

#define CUDA_SHIM_NO_LAUNCH __attribute__((error("kernels launch no kernels (dynamic parallelism) on host cores")))
CUDA_SHIM_NO_LAUNCH void* cudaGetParameterBuffer(size_t alignment, size_t bytes);
CUDA_SHIM_NO_LAUNCH void* cudaGetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned int shared);
CUDA_SHIM_NO_LAUNCH int cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
CUDA_SHIM_NO_LAUNCH int cudaLaunchDeviceV2(void* parameters, cudaStream_t stream);
#undef CUDA_SHIM_NO_LAUNCH

static inline void cudaGridDependencySynchronize() { __threadfence_system(); }
static inline void cudaTriggerProgrammaticLaunchCompletion() {}
