// The declarations that every kernel sees before its own first line: CUDA's and HIP's built-ins for threads that are
// loop iterations or fibres on host cores. hiprtc includes it with `-include`, so a kernel needs no header of its own.
//
// Names that a kernel must not meet start with cuda_shim_. Nothing heavy is included: parsing this is a large part of a
// cold compile's cost. Where the program itself includes C++ standard headers, hiprtc defines
// CUDA_SHIM_STANDARD_HEADERS and they come first, since glibc declares some of the names defined here.
#pragma once
#include "predefined.h"
#include "reserve_names.h"

#include "../../src/abi/kernel_module.h"

#ifdef CUDA_SHIM_STANDARD_HEADERS
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <new>
#include <math.h>
#include <stdlib.h>
#endif

#include "qualifiers.h"

#include "types_traits.h"

#include "vector_types.h"

#ifndef CUDA_SHIM_CUDA
#include "vector_operators.h"
#endif

#include "generated_names.h"

#include "host_names.h"

#include "shared_variables.h"

#include "thread_index.h"

#include "memory.h"

#ifdef CUDA_SHIM_CHECKED
#include "checks.h"
#endif

#include "barriers.h"

#include "warp.h"

#include "atomics.h"

#include "float_coefficients.h"
#include "float_exponentials.h"

#include "float_angles.h"

#include "double_coefficients.h"
#include "double_exponentials.h"
#include "double_angles.h"

#include "math_functions.h"

#include "math_cuda.h"

#include "float_intrinsics.h"

#include "integer_intrinsics.h"

#include "conversions.h"

#include "diagnostics.h"

#ifdef CUDA_SHIM_CUDA
#include "nvrtc_builtins.h"
#endif

// Parts that few kernels use: hiprtc includes a part if the program uses one of its names. The part's header has the
// beginnings of these names, from which tools/generate_function_facts.py makes a table for the compiler.
#ifdef CUDA_SHIM_ADDRESS_SPACES
#include "address_spaces.h"
#endif
#ifdef CUDA_SHIM_BFLOAT16
#include "../include/cuda_bf16.h"
#endif
// NVRTC has them for GPUs that have clusters.
#if defined(CUDA_SHIM_CLUSTERS) && defined(CUDA_SHIM_HAS_CLUSTERS)
#include "clusters.h"
#endif
#ifdef CUDA_SHIM_CONDITIONS
#include "graph_conditions.h"
#endif
#ifdef CUDA_SHIM_DEVICE_ATTRIBUTES
#include "device_attributes.h"
#endif
#ifdef CUDA_SHIM_COMPLEX_NUMBERS
#include "../include/cuComplex.h"
#endif
#ifdef CUDA_SHIM_HALF
#include "../include/cuda_fp16.h"
#endif
#ifdef CUDA_SHIM_HOST_STRUCTS
#include "host_structs.h"
#endif
#ifdef CUDA_SHIM_MATH_CONSTANTS
#include "../include/hip/hip_math_constants.h"
#endif
// NVRTC has them since 12.8.
#if defined(CUDA_SHIM_NV_ATOMICS) && defined(CUDA_SHIM_CUDA) && CUDA_SHIM_CUDA >= 12080
#include "nv_atomics.h"
#endif
#ifdef CUDA_SHIM_ROUNDED_ARITHMETIC
#include "rounded_arithmetic.h"
#endif
#ifdef CUDA_SHIM_SIMD_INTRINSICS
#include "simd_intrinsics.h"
#endif
#ifdef CUDA_SHIM_SPECIAL_FUNCTIONS
#include "special_functions.h"
#endif
#ifdef CUDA_SHIM_STATUS_NAMES
#include "status_names.h"
#endif
#ifdef CUDA_SHIM_TEXTURE_REFERENCES
#include "texture_reference.h"
#endif
#ifdef CUDA_SHIM_TEXTURES
#include "texture.h"

#include "surface.h"
#endif

#include "module_table.h"

#include "thread_loops.h"
#include "thread_variables.h"
#include "lane_exchange.h"
#include "block_local_atomics.h"

#include "restore_names.h"
