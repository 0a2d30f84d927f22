// Macros that programs test to learn what compiles them. hiprtc also gives this file alone to the preprocessing pass
// that expands a program's own macros, so it defines nothing else.
#pragma once

#define __CUDA_SHIM_CPU__ 1

// HIP's own answers: programs reach this compiler through hiprtc.
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIPCC_RTC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 0
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

// CUDA's: kernels choose by them between what the device has and a replacement of their own (the well known
// atomicAdd for double below compute capability 6.0, for one), and everything up to 8.0 is here.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_RTC__ 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
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
