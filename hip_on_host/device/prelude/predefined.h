// Macros by which programs recognise their compiler. hiprtc also gives this file alone to the preprocessing pass that
// expands a program's own macros, so it defines nothing else.
//
// A CUDA program, which the option --cuda-shim-cuda announces, sees the macros of NVRTC of the release CUDA_SHIM_CUDA;
// a HIP program sees HIP's macros and, since many are written for both, the macros of CUDA that they ask for.
#pragma once

#define __CUDA_SHIM_CPU__ 1

// Kernels choose by it between the device's functions and replacements of their own (the well known atomicAdd for
// double below compute capability 6.0, for one), and everything up to 8.0 is here.
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_RTC__ 1

#ifdef CUDA_SHIM_CUDA
#define CUDART_VERSION CUDA_SHIM_CUDA
// libc++ derives from such macros whether the compiler has exceptions and type information: it must have done so before
// they are defined as NVRTC has them.
#if __has_include(<__config>)
#include <__config>
#endif
#include "nvrtc_macros.h"
#include "nv_target.h"
// CUDA's C++ core libraries do without the number types that are not here.
#define CCCL_DISABLE_NVFP8_SUPPORT
#define CCCL_DISABLE_NVFP6_SUPPORT
#define CCCL_DISABLE_NVFP4_SUPPORT
#ifdef CUDA_SHIM_NO_MOVE
#undef __NV_BUILTIN_MOVE_FORWARD
#endif
#ifdef CUDA_SHIM_NO_INITIALIZER_LIST
#undef __NV_BUILTIN_INITIALIZER_LIST
#endif
#define __CUDA_ARCH_LIST__ __CUDA_ARCH__
#if CUDA_SHIM_CUDA >= 12000
#define __CUDA_MINIMUM_ARCH__ __CUDA_ARCH__
// No feature of a single architecture is here.
#define __CUDA_ARCH_HAS_FEATURE__(feature) 0
#define __CUDA_HAS_ARCH_SPECIFIC(...) 0
#define __CUDA_HAS_ARCH_FAMILY_SPECIFIC(...) 0
#endif
#else
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIPCC_RTC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 0
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

#ifndef CUDART_VERSION
#define CUDART_VERSION 12090
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ ((CUDART_VERSION % 1000) / 10)

// Before the program's own text is taken apart these stand for the declaration they mean.
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(name) name
#endif
