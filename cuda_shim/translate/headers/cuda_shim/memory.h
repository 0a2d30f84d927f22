// Loads and stores with cache hints.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

// Hints only: the value is the same.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_load(const T* pointer) { return *pointer; }
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_load_volatile(const T* pointer) {
    T result;
    const volatile unsigned char* from = (const volatile unsigned char*)pointer;
    unsigned char* to = (unsigned char*)&result;
    if constexpr (sizeof(T) == 4) {
        *(unsigned*)to = *(const volatile unsigned*)from;
    } else if constexpr (sizeof(T) == 8) {
        *(unsigned long long*)to = *(const volatile unsigned long long*)from;
    } else {
        for (unsigned i = 0; i < sizeof(T); ++i) to[i] = from[i];
    }
    return result;
}
template <class T> CUDA_ON_HIP_DEVICE void cuda_on_hip_store(T* pointer, T value) { *pointer = value; }
