// threadIdx, blockIdx, blockDim, gridDim and the other state of a running thread.
//
// They live in thread-local variables of the worker thread that runs the kernel. The loops that hiprtc writes around a
// kernel's body shadow them with locals of the iteration under the same names, so that the compiler sees the loop's
// own counter and vectorises across threads; device functions read the thread-local ones.
#pragma once

struct cuda_shim_dimensions {
    unsigned int x, y, z;
    constexpr operator dim3() const { return dim3(x, y, z); }
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

// Programs that are linked into one module call each other's functions, and so share the thread's state.
#ifdef CUDA_SHIM_RELOCATABLE
#define CUDA_SHIM_THREAD_STATE inline __attribute__((visibility("hidden"))) thread_local
#else
#define CUDA_SHIM_THREAD_STATE static thread_local
#endif
#ifdef CUDA_SHIM_CHECKED
// Shared variables are beside these: guards that no access may touch distinguish their overflow from an access to the
// index.
struct cuda_shim_thread_state_type {
    unsigned char before[CUDA_SHIM_THREAD_STATE_GUARD];
    uint3 thread_index, block_index;
    cuda_shim_dimensions block_dim, grid_dim;
    const CudaShimKernelRun* run;
    int rounds;
    unsigned char after[CUDA_SHIM_THREAD_STATE_GUARD];
};
CUDA_SHIM_THREAD_STATE cuda_shim_thread_state_type cuda_shim_thread_state;
#define cuda_shim_thread_index cuda_shim_thread_state.thread_index
#define cuda_shim_block_index cuda_shim_thread_state.block_index
#define cuda_shim_block_dim cuda_shim_thread_state.block_dim
#define cuda_shim_grid_dim cuda_shim_thread_state.grid_dim
#define cuda_shim_run cuda_shim_thread_state.run
#define cuda_shim_rounds cuda_shim_thread_state.rounds
#else
// Variables with initial values precede the shared ones, which have none and so end where the guard behind them begins.
// No kernel reads these values.
static const CudaShimKernelRun cuda_shim_no_run = {};
CUDA_SHIM_THREAD_STATE uint3 cuda_shim_thread_index = {1, 0, 0}, cuda_shim_block_index = {1, 0, 0};
CUDA_SHIM_THREAD_STATE cuda_shim_dimensions cuda_shim_block_dim = {1, 1, 1}, cuda_shim_grid_dim = {1, 1, 1};
CUDA_SHIM_THREAD_STATE const CudaShimKernelRun* cuda_shim_run = &cuda_shim_no_run;
CUDA_SHIM_THREAD_STATE int cuda_shim_rounds = 1;  // rounds of loops that may wait, until others run
#endif
static const CudaShimRuntimeServices* cuda_shim_services;

#define threadIdx cuda_shim_thread_index
#define blockIdx cuda_shim_block_index
#define blockDim cuda_shim_block_dim
#define gridDim cuda_shim_grid_dim
#ifndef CUDA_SHIM_WARP_SIZE
#define CUDA_SHIM_WARP_SIZE 32
#endif
#define warpSize (CUDA_SHIM_WARP_SIZE)

#ifndef CUDA_SHIM_CUDA
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#endif

CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE void* cuda_shim_dynamic_shared() { return cuda_shim_run->dynamic_shared; }

CUDA_SHIM_INLINE unsigned int cuda_shim_linear_thread() {
    return cuda_shim_thread_index.x +
           cuda_shim_block_dim.x * (cuda_shim_thread_index.y + cuda_shim_block_dim.y * cuda_shim_thread_index.z);
}
// Macros, so that in a thread loop they read the loop's own index.
#define CUDA_SHIM_LINEAR_THREAD \
    (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
#define __lane_id() (CUDA_SHIM_LINEAR_THREAD % CUDA_SHIM_WARP_SIZE)
#define __laneid() __lane_id()
#define __warp_id() (CUDA_SHIM_LINEAR_THREAD / CUDA_SHIM_WARP_SIZE)
