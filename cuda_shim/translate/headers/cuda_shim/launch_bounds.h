// __launch_bounds__ with CUDA's meaning: the second number is the blocks that a multiprocessor should hold at once.
//
// Clang's attribute counts waves for each SIMD unit (execution unit) of a compute unit, as HIP's own macro of this name
// does. So blocks become the waves of all of them, shared out among the SIMD units: four on CDNA and in workgroup mode,
// two in compute-unit mode of RDNA. More waves than a unit can hold are no target at all. The third number is about
// clusters.
#pragma once
#pragma GCC system_header

#if defined(__AMDGCN__)  // host cores have CUDA's own
#if defined(__GFX9__) || defined(__GFX8__) || defined(__GFX7__) || defined(__GFX6__)
#define CUDA_ON_HIP_WAVE 64
#define CUDA_ON_HIP_SIMD_UNITS 4
#define CUDA_ON_HIP_MAX_WAVES 8
#else
#define CUDA_ON_HIP_WAVE 32
#if defined(__AMDGCN_CUMODE__) && __AMDGCN_CUMODE__
#define CUDA_ON_HIP_SIMD_UNITS 2
#else
#define CUDA_ON_HIP_SIMD_UNITS 4
#endif
#define CUDA_ON_HIP_MAX_WAVES 16
#endif

#define CUDA_ON_HIP_WAVES_OF(threads) (((threads) + CUDA_ON_HIP_WAVE - 1) / CUDA_ON_HIP_WAVE)
#define CUDA_ON_HIP_WAVES_PER_UNIT(threads, blocks) \
    (((blocks) * CUDA_ON_HIP_WAVES_OF(threads) + CUDA_ON_HIP_SIMD_UNITS - 1) / CUDA_ON_HIP_SIMD_UNITS)
// Zero is no target.
#define CUDA_ON_HIP_BOUNDS(threads, blocks, ...)                                                     \
    __attribute__((amdgpu_flat_work_group_size(1, threads),                                          \
                   amdgpu_waves_per_eu(CUDA_ON_HIP_WAVES_PER_UNIT(threads, blocks) > CUDA_ON_HIP_MAX_WAVES \
                                           ? CUDA_ON_HIP_MAX_WAVES                                   \
                                           : CUDA_ON_HIP_WAVES_PER_UNIT(threads, blocks))))
#undef __launch_bounds__
#define __launch_bounds__(...) CUDA_ON_HIP_BOUNDS(__VA_ARGS__, 0, 0)
#endif
