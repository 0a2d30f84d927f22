#include <cuda_shim/ptx_memory.h>
#include <cuda_shim/ptx_threads.h>
extern __shared__ unsigned char cuda_shim_ptx_dynamic[];

extern "C" __global__ void multiply(char* reg_out, unsigned reg_place) {
    unsigned r7;
    unsigned r6;
    unsigned r5;
    unsigned r4;
    unsigned r3;
    unsigned r2;
    unsigned r1;
    unsigned r0;
    {
        const cuda_shim_words<unsigned, 8> cuda_shim_d = cuda_shim_by_warp<cuda_shim_ptx::matrix_rows<4, false, 2>>(cuda_shim_words<unsigned long, 2>{{(unsigned long)(cuda_shim_ptx::shared_pointer((unsigned)reg_place, (char*)cuda_shim_ptx_dynamic)), (unsigned long)(cuda_shim_ptx::shared_pointer((unsigned)(reg_place + 512u), (char*)cuda_shim_ptx_dynamic))}});
        r0 = cuda_shim_d.value[0];
        r1 = cuda_shim_d.value[1];
        r2 = cuda_shim_d.value[2];
        r3 = cuda_shim_d.value[3];
        r4 = cuda_shim_d.value[4];
        r5 = cuda_shim_d.value[5];
        r6 = cuda_shim_d.value[6];
        r7 = cuda_shim_d.value[7];
    }
    float f8;
    float f7;
    float f6;
    float f5;
    float f3{};
    float f2{};
    float f1{};
    float f0{};
    {
        const cuda_shim_words<unsigned, 8> cuda_shim_d = cuda_shim_by_warp<cuda_shim_ptx::matrix_product<cuda_shim_ptx::mma_f16, cuda_shim_ptx::mma_f16, cuda_shim_ptx::mma_in_f32, cuda_shim_ptx::mma_in_f32, 16, 16, 16, false>>(cuda_shim_words<unsigned, 16>{{r0, r1, r2, r3, r4, r5, r6, r7, cuda_shim_ptx::as<unsigned>(f0), cuda_shim_ptx::as<unsigned>(f1), cuda_shim_ptx::as<unsigned>(f2), cuda_shim_ptx::as<unsigned>(f3), 0x3f800000u, 0x3f800000u, 0x3f800000u, 0x3f800000u}});
        f0 = cuda_shim_ptx::as<float>((cuda_shim_d.value[0]));
        f1 = cuda_shim_ptx::as<float>((cuda_shim_d.value[1]));
        f2 = cuda_shim_ptx::as<float>((cuda_shim_d.value[2]));
        f3 = cuda_shim_ptx::as<float>((cuda_shim_d.value[3]));
        f5 = cuda_shim_ptx::as<float>((cuda_shim_d.value[4]));
        f6 = cuda_shim_ptx::as<float>((cuda_shim_d.value[5]));
        f7 = cuda_shim_ptx::as<float>((cuda_shim_d.value[6]));
        f8 = cuda_shim_ptx::as<float>((cuda_shim_d.value[7]));
    }
    {
        const cuda_shim_words<unsigned, 4> cuda_shim_d = cuda_shim_by_warp<cuda_shim_ptx::matrix_product<cuda_shim_ptx::mma_f16, cuda_shim_ptx::mma_f16, cuda_shim_ptx::mma_in_f32, cuda_shim_ptx::mma_in_f32, 16, 8, 16, false>>(cuda_shim_words<unsigned, 10>{{r0, r1, r2, r3, r6, r7, cuda_shim_ptx::as<unsigned>(f0), cuda_shim_ptx::as<unsigned>(f1), cuda_shim_ptx::as<unsigned>(f2), cuda_shim_ptx::as<unsigned>(f3)}});
        f0 = cuda_shim_ptx::as<float>((cuda_shim_d.value[0]));
        f1 = cuda_shim_ptx::as<float>((cuda_shim_d.value[1]));
        f2 = cuda_shim_ptx::as<float>((cuda_shim_d.value[2]));
        f3 = cuda_shim_ptx::as<float>((cuda_shim_d.value[3]));
    }
    *(float*)reg_out = f0;
    *(float*)(reg_out + 4) = f1;
    *(float*)(reg_out + 8) = f2;
    *(float*)(reg_out + 12) = f3;
    *(float*)(reg_out + 16) = f5;
    *(float*)(reg_out + 20) = f6;
    *(float*)(reg_out + 24) = f7;
    *(float*)(reg_out + 28) = f8;
}

