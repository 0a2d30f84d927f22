// threadIdx, blockIdx, blockDim and gridDim as CUDA has them: `uint3 t = threadIdx`, `const uint3& b = blockIdx`.
//
// HIP's objects of these names convert to HIP's dim3 alone, and that from and to no uint3. Each name is a macro for an
// object of ours, and dim3 for a type of ours.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

#if defined(__AMDGCN__)
struct cuda_on_hip_dim3 {
    unsigned x, y, z;

    __host__ __device__ constexpr cuda_on_hip_dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ cuda_on_hip_dim3(uint3 value) : x(value.x), y(value.y), z(value.z) {}
    __device__ operator uint3() const { return make_uint3(x, y, z); }
};

// Members are read from the hardware where they are named, as HIP's are.
#define CUDA_ON_HIP_INDEX(name)                                                                  \
    struct cuda_on_hip_##name##_t {                                                              \
        __declspec(property(get = get_x)) unsigned x;                                            \
        __declspec(property(get = get_y)) unsigned y;                                            \
        __declspec(property(get = get_z)) unsigned z;                                            \
        CUDA_ON_HIP_DEVICE unsigned get_x() { return name.x; }                                   \
        CUDA_ON_HIP_DEVICE unsigned get_y() { return name.y; }                                   \
        CUDA_ON_HIP_DEVICE unsigned get_z() { return name.z; }                                   \
        __device__ operator uint3() const { return make_uint3(name.x, name.y, name.z); }         \
        __device__ operator cuda_on_hip_dim3() const { return {name.x, name.y, name.z}; }        \
    };                                                                                           \
    extern const __device__ __attribute__((weak)) cuda_on_hip_##name##_t cuda_on_hip_##name;
CUDA_ON_HIP_INDEX(threadIdx)
CUDA_ON_HIP_INDEX(blockIdx)
CUDA_ON_HIP_INDEX(blockDim)
CUDA_ON_HIP_INDEX(gridDim)
#undef CUDA_ON_HIP_INDEX
#else
// Host cores have CUDA's objects themselves.
#define cuda_on_hip_threadIdx threadIdx
#define cuda_on_hip_blockIdx blockIdx
#define cuda_on_hip_blockDim blockDim
#define cuda_on_hip_gridDim gridDim
#define cuda_on_hip_dim3 dim3
#endif
