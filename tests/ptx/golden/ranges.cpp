#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void thread(char* reg_in, unsigned long long reg_n) {
    *(unsigned*)(reg_in + (((unsigned long long)((long long)(int)threadIdx.x)) << 2u)) = 1u;
}

extern "C" __global__ void block(char* reg_in, unsigned long long reg_n) {
    *(unsigned*)(reg_in + (((unsigned long long)((long long)(int)blockIdx.y)) << 2u)) = 1u;
}

extern "C" __global__ void cuda_shim_symbol_clock(char* reg_in, unsigned long long reg_n) {
    int r0 = ((int)((unsigned)clock64()));
    long long a2 = (long long)r0;
    *(unsigned*)(reg_in + (((unsigned long long)((((unsigned long long)(a2 >> 63u)) & reg_n) + a2)) << 2u)) = 1u;
}

