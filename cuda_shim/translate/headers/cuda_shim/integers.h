// CUDA's integer functions that HIP lacks, or computes in signed numbers that overflow.
#pragma once
#pragma GCC system_header
#include <cuda_shim/portable_names.h>
#include <portable/integer_functions.h>
