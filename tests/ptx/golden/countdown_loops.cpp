#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void signed_count(char* reg_in, long long reg_n) {
    float reg_g = 0.0f;
    long long reg_round3 = (reg_n > 0ll) ? reg_n : 0ll;
    for (unsigned long long reg_round4_1 = 0ull; reg_round4_1 <= (unsigned long long)reg_round3; reg_round4_1 += 1ull) {
        float reg_f = *(float*)(reg_in + (reg_round4_1 << 2u));
        reg_g = reg_g + reg_f;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void not_zero(char* reg_in, unsigned long long reg_n) {
    float reg_g = 0.0f;
    for (unsigned long long reg_round2_1 = 0ull; reg_round2_1 <= reg_n; reg_round2_1 += 1ull) {
        float reg_f = *(float*)(reg_in + (reg_round2_1 << 2u));
        reg_g = reg_g + reg_f;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void narrow(char* reg_in, int reg_n) {
    float reg_g = 0.0f;
    unsigned long long reg_round4 = (unsigned long long)((unsigned)((reg_n > 0) ? reg_n : 0));
    for (unsigned long long reg_round5_1 = 0ull; reg_round5_1 <= reg_round4; reg_round5_1 += 1ull) {
        float reg_f = *(float*)(reg_in + (reg_round5_1 << 2u));
        reg_g = reg_g + reg_f;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void constant(char* reg_in, unsigned long long reg_n) {
    float reg_g = 0.0f;
    for (unsigned long long reg_round1_1 = 0ull; reg_round1_1 < 32ull; reg_round1_1 += 1ull) {
        float reg_f = *(float*)(reg_in + (reg_round1_1 << 2u));
        reg_g = reg_g + reg_f;
    }
    *(float*)reg_in = reg_g;
}

extern "C" __global__ void not_behind(char* reg_in, long long reg_n) {
    float reg_g = 0.0f;
    long long reg_now = 0ll;
    long long reg_round3 = (reg_n > 0ll) ? reg_n : 0ll;
    for (unsigned long long reg_round4_1 = 0ull; reg_round4_1 <= (unsigned long long)reg_round3; reg_round4_1 += 1ull) {
        float reg_f = *(float*)(reg_in + ((unsigned long long)reg_now << 2u));
        reg_g = reg_g + reg_f;
        reg_now = ((long long)(reg_round4_1 + 7ll));
    }
    *(float*)reg_in = reg_g;
}

