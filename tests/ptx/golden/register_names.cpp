#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void renamed(char* reg_out, char* reg_in) {
    unsigned r1 = *(unsigned*)reg_in;
    unsigned r1_2 = *(unsigned*)(reg_in + 4);
    r1 = r1 + r1_2;
    unsigned reg_t = *(unsigned*)(reg_in + 8);
    unsigned reg_t_1 = *(unsigned*)(reg_in + 12);
    unsigned reg_t_1_2 = *(unsigned*)(reg_in + 16);
    reg_t_1 = reg_t_1 + reg_t_1_2;
    *(unsigned*)(reg_out + 8) = reg_t_1_2;
    reg_t = reg_t + reg_t_1;
    *(unsigned*)reg_out = r1;
    *(unsigned*)(reg_out + 4) = r1_2;
    *(unsigned*)(reg_out + 16) = reg_t;
    *(unsigned*)(reg_out + 20) = reg_t_1;
}

