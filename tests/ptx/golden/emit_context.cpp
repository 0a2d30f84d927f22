#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void __launch_bounds__(256) saxpy(char* reg_saxpy_param_0, char* reg_saxpy_param_1, float reg_saxpy_param_2, unsigned reg_saxpy_param_3) {
    int r1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (!(r1 >= (int)reg_saxpy_param_3)) {
        float f2 = *(float*)(reg_saxpy_param_0 + ((long long)r1 * 4ll));
        float f3 = *(float*)(reg_saxpy_param_1 + ((long long)r1 * 4ll));
        *(float*)(reg_saxpy_param_1 + ((long long)r1 * 4ll)) = fmaf(reg_saxpy_param_2, f2, f3);
    }
}

