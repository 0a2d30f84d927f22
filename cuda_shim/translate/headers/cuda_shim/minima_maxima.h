// CUDA's minima and maxima of two and three integers, of sums, and of 16-bit halves.
#pragma once
#pragma GCC system_header
#include <cuda_shim/portable_names.h>
#include <portable/integer_functions.h>
#include <portable/minima_maxima.h>
