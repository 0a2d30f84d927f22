// math_constants.h: CUDA's names of numbers, by their bits.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>
#include <portable/math_constants.h>
