#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void up(char* reg_in) {
    float reg_g = 0.0f;
    for (int reg_i_1 = 0; reg_i_1 != 128; reg_i_1 += 4) {
        float reg_f = *(float*)(reg_in + (unsigned long long)(unsigned)reg_i_1 * 4ull);
        reg_g = reg_g + reg_f;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void down(char* reg_in) {
    char* reg_p = reg_in;
    float reg_g = 0.0f;
    for (int reg_i_1 = 9; reg_i_1 > 0; reg_i_1 += (-1)) {
        float reg_f = *(float*)reg_p;
        reg_g = reg_g + reg_f;
        reg_p = reg_p + 4;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void guarded(char* reg_in, unsigned reg_n) {
    float reg_g = 0.0f;
    if (!((int)reg_n < 1)) {
        for (int reg_i_1 = 0; reg_i_1 < (int)reg_n; reg_i_1 += 1) {
            float reg_f = *(float*)(reg_in + (unsigned long long)(unsigned)reg_i_1 * 4ull);
            reg_g = reg_g + reg_f;
        }
        *(float*)reg_in = reg_g;
    }
}

extern "C" __global__ void by_thread(char* reg_in, unsigned reg_n) {
    char* reg_p = reg_in;
    float reg_g = 0.0f;
    if (!((int)threadIdx.x >= (int)reg_n)) {
        for (int reg_i_1 = (int)threadIdx.x; reg_i_1 < (int)reg_n; reg_i_1 += 256) {
            float reg_f = *(float*)reg_p;
            reg_g = reg_g + reg_f;
            reg_p = reg_p + 4;
        }
        *(float*)reg_in = reg_g;
    }
}

