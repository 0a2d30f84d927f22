// cuComplex.h: CUDA's complex numbers as pairs.
#pragma once
#pragma GCC system_header
#include <cuda_shim/portable_names.h>
#include <portable/complex_numbers.h>
