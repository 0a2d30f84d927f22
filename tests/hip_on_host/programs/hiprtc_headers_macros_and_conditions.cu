#include "given.h"
#include <nested/deep.h>
#include "on_disk.h"
#ifdef UNDEFINED
#error not this
#endif
#if LEVEL >= 3
#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)
#endif
#define BARRIER() __syncthreads()
#define OUT(i, v) do { out[i] = (v); } while (0)
#ifdef __cplusplus
extern "C" {
#endif
__global__ void k(TYPE* out) { __shared__ TYPE s[4]; s[threadIdx.x] = GIVEN; BARRIER();
    OUT(GLOBAL_ID, s[3 - threadIdx.x] + deep() + FROM_DISK + LEVEL); }
#ifdef __cplusplus
}
#endif
