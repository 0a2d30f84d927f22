// Given to the pass that expands a program's own macros. CUDA's qualifiers are macros in its headers, and programs ask
// with #ifndef whether they are there: so they are, and expand to themselves.
#pragma once
#include "predefined.h"

#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __constant__ __constant__
#define __shared__ __shared__
#define __managed__ __managed__
#define __launch_bounds__ __launch_bounds__
#define __forceinline__ __forceinline__
#define __noinline__ __noinline__
#define __align__ __align__
#define __grid_constant__ __grid_constant__
