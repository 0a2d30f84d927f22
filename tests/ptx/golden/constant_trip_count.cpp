#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void unrolled_twice(char* reg_in) {
    float f0 = 0.0f;
    for (unsigned long long reg_round1_1 = 0ull; reg_round1_1 < 16ull; reg_round1_1 += 1ull) {
        long long reg_b = ((unsigned long long)(reg_round1_1 * 2ll + 0ll)) << 2u;
        float f1 = *(float*)(reg_in + reg_b);
        reg_b = ((unsigned long long)(reg_round1_1 * 2ll + 1ll)) << 2u;
        float f2 = *(float*)(reg_in + reg_b);
        f1 = f1 + f2;
        f0 = f0 + f1;
    }
    *(float*)reg_in = f0;
}

