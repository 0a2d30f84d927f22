// The macros that NVRTC defines before a program's first line, as its releases answered.
// Written by `python -m tests.kernels.world`.
#pragma once

// In every release.
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDA_IPC_HANDLE_SIZE 64
#define CU_UUID_HAS_BEEN_DEFINED
#define __COMMON_FUNCTIONS_H__
#define __CUDACC_VER__ "__CUDACC_VER__ is no longer supported. Use __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, and __CUDACC_VER_BUILD__ instead."
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_TYPES_H__
#define __HOST_CONFIG_H__
#define __HOST_DEFINES_H__
#define __LIBRARY_TYPES_H__
#define __LP64__ 1
#define __MATH_FUNCTIONS_H__
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1
#define __NV_BUILTIN_INITIALIZER_LIST 1
#define __NV_BUILTIN_MOVE_FORWARD 1
#define __PRAGMA_REDEFINE_EXTNAME 1
#define __SM_30_INTRINSICS_H__
#define __SM_32_INTRINSICS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_INTRINSICS_H__
#define __SM_80_RT_H__
#define __SM_90_RT_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__

#if CUDA_SHIM_CUDA / 1000 == 12 || CUDA_SHIM_CUDA >= 13000
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1
#define __CUDACC_RTC_BUILTIN_VECTOR_TYPES__ 1
#define __SM_100_RT_H__
#endif

#if CUDA_SHIM_CUDA / 1000 == 12
#define __CUDACC_VER_BUILD__ 86
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDART_API_VERSION ((12 * 1000) + (9 * 10))
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 9
#endif

#if CUDA_SHIM_CUDA >= 13000
#define __CUDACC_VER_BUILD__ 37
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 5
#define __CUDART_API_VERSION ((13 * 1000) + (5 * 10))
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 5
#define __NV_GLIBC_PROVIDES_IEC_60559_FUNCS 0
#define __NV_SILENCE_DEPRECATION_BEGIN _Pragma("nv_diagnostic push")_Pragma("nv_diag_suppress 1444")
#define __NV_SILENCE_DEPRECATION_END _Pragma("nv_diagnostic pop")
#define __NV_TL_BUILTIN__
#define __NV_TL__
#endif

#if CUDA_SHIM_CUDA < 12000
#define __CUDACC_VER_BUILD__ 89
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 8
#define __CUDART_API_VERSION ((11 * 1000) + (8 * 10))
#define __CUDA_API_VER_MAJOR__ 11
#define __CUDA_API_VER_MINOR__ 8
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_MATH_CRTIMP
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
#define __SM_70_RT_H__
#endif
