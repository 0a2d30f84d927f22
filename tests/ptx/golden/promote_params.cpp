#include <cuda_shim/ptx_memory.h>
struct __align__(4) cuda_shim_ptx_bytes_12_4 { unsigned char bytes[12]; };
static __device__ unsigned twice(unsigned);
static __device__ unsigned third(cuda_shim_ptx_bytes_12_4);

static __device__ unsigned twice(unsigned reg_x) {
    unsigned reg_result = ((unsigned)(reg_x << 1u));
    return reg_result;
}

static __device__ unsigned third(cuda_shim_ptx_bytes_12_4 reg_s) {
    unsigned r1 = *(unsigned*)((char*)&reg_s + 8);
    unsigned reg_result = r1;
    return reg_result;
}

extern "C" __global__ void caller(char* reg_out) {
    unsigned reg_result = twice(threadIdx.x);
    cuda_shim_ptx_bytes_12_4 reg_s;
    *(unsigned*)((char*)&reg_s) = 1u;
    *(unsigned*)((char*)&reg_s + 4) = 2u;
    *(unsigned*)((char*)&reg_s + 8) = reg_result;
    unsigned reg_result_1 = third(reg_s);
    *(unsigned*)reg_out = reg_result_1;
}

