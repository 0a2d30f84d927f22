// Functions of real numbers that HIP lacks, or whose values for NaN differ.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

CUDA_ON_HIP_DEVICE double cuda_on_hip_fdivide(double a, double b) { return a / b; }
// CUDA's fast form may be less exact; AMD's hardware has none, so this one is as exact as tanhf.
CUDA_ON_HIP_DEVICE float cuda_on_hip_tanhf(float a) { return tanhf(a); }
CUDA_ON_HIP_DEVICE float cuda_on_hip_saturatef(float a) { return a > 0.f ? a < 1.f ? a : 1.f : 0.f; }
CUDA_ON_HIP_DEVICE int cuda_on_hip_ilogbf(float a) { return a == a ? ilogbf(a) : -2147483647 - 1; }
CUDA_ON_HIP_DEVICE int cuda_on_hip_ilogb(double a) { return a == a ? ilogb(a) : -2147483647 - 1; }
CUDA_ON_HIP_DEVICE int cuda_on_hip_ilogb(float a) { return cuda_on_hip_ilogbf(a); }
