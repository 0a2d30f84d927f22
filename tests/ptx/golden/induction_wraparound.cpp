#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void past_zero(char* reg_in) {
    char* reg_p = reg_in;
    float reg_g = 0.0f;
    for (unsigned reg_i_1 = 0xfffffff0u; reg_i_1 != 16u; reg_i_1 += 4u) {
        float reg_f = *(float*)reg_p;
        reg_g = reg_g + reg_f;
        reg_p = reg_p + 16;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void skips(char* reg_in) {
    char* reg_p = reg_in;
    float reg_g = 0.0f;
    for (int reg_i_1 = 0; reg_i_1 != 128; reg_i_1 += 3) {
        float reg_f = *(float*)reg_p;
        reg_g = reg_g + reg_f;
        reg_p = reg_p + 12;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void overflows(char* reg_in) {
    char* reg_p = reg_in;
    float reg_g = 0.0f;
    for (int reg_i_1 = 0; reg_i_1 < 0x7fffffff; reg_i_1 += 8) {
        float reg_f = *(float*)reg_p;
        reg_g = reg_g + reg_f;
        reg_p = reg_p + 32;
    }
    *(float*)reg_in = reg_g;
}

