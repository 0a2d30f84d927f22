// Programmatic dependent launches. HIP begins a kernel when those that it depends on have ended, so there is nothing to wait for.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

CUDA_ON_HIP_DEVICE void cuda_on_hip_cudaGridDependencySynchronize() { __threadfence_system(); }
CUDA_ON_HIP_DEVICE void cuda_on_hip_cudaTriggerProgrammaticLaunchCompletion() {}
