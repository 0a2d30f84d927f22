// Copies into shared memory that a GPU makes by itself, and their stages. They are made at once.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

CUDA_ON_HIP_DEVICE void cuda_on_hip_pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeroes = 0) {
    const size_t given = bytes - zeroes;
    if (bytes == 16 && zeroes == 0)
        __builtin_memcpy(__builtin_assume_aligned(to, 16), __builtin_assume_aligned(from, 16), 16);
    else if (bytes == 8 && zeroes == 0)
        __builtin_memcpy(__builtin_assume_aligned(to, 8), __builtin_assume_aligned(from, 8), 8);
    else
        for (size_t i = 0; i < bytes; ++i) ((char*)to)[i] = i < given ? ((const char*)from)[i] : 0;
}
CUDA_ON_HIP_DEVICE void cuda_on_hip_pipeline_commit() {}
CUDA_ON_HIP_DEVICE void cuda_on_hip_pipeline_wait_prior(size_t) {}
