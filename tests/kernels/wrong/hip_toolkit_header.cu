// Block-wide primitives.
#include <cub/block/block_reduce.cuh>  // error
extern "C" __global__ void kernel(float* out) { out[0] = 1; }
