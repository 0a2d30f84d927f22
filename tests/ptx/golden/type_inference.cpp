#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void sums(char* reg_out, char* reg_in) {
    unsigned r2 = *(unsigned*)(reg_in + ((unsigned long long)threadIdx.x * 4ull));
    *(unsigned*)(reg_out + ((unsigned long long)threadIdx.x * 4ull)) = r2;
}

extern "C" __global__ void numbers(char* reg_out) {
    __align__(8) unsigned char numbers_mine[1024];
    unsigned long long rd4 = (unsigned long long)threadIdx.x;
    rd4 = ((long long)((unsigned long long)((char*)numbers_mine))) + rd4;
    unsigned r2 = *(unsigned*)((char*)rd4);
    *(unsigned*)reg_out = r2;
}

extern "C" __global__ void bits(char* reg_out) {
    unsigned r1 = *(unsigned*)reg_out;
    *(unsigned*)reg_out = ((unsigned)((cuda_shim_ptx::as<unsigned>(((cuda_shim_ptx::as<float>(r1)) + 1.0f))) ^ r1));
}

