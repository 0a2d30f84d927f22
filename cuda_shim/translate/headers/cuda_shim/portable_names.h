// How the functions of hip_on_host's portable headers are declared and named for AMD GPUs.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

// AMD's compiler reads no facts.
#define CUDA_PORTABLE_FACT(fact)
#define CUDA_PORTABLE_INLINE CUDA_ON_HIP_DEVICE
#define CUDA_PORTABLE_FUNCTION(name) cuda_on_hip_##name
#define CUDA_PORTABLE_INTRINSIC(name) cuda_on_hip_##name
#define CUDA_PORTABLE_HELPER(name) cuda_on_hip_##name
