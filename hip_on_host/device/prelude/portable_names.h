// How the functions of the portable headers are declared and named on host cores (../portable/integer_functions.h).
#pragma once

#define CUDA_PORTABLE_FACT(fact) CUDA_SHIM_FACT(fact)
#define CUDA_PORTABLE_INLINE CUDA_SHIM_INLINE
#define CUDA_PORTABLE_FUNCTION(name) name
#define CUDA_PORTABLE_INTRINSIC(name) __##name
#define CUDA_PORTABLE_HELPER(name) cuda_shim_##name
