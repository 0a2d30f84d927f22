// Functions of real numbers that HIP lacks.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

CUDA_ON_HIP_DEVICE double cuda_on_hip_fdivide(double a, double b) { return a / b; }
// CUDA's fast form may be less exact; AMD's hardware has none, so this one is as exact as tanhf.
CUDA_ON_HIP_DEVICE float cuda_on_hip_tanhf(float a) { return tanhf(a); }
