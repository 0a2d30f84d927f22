// Given to the pass that expands a program's own macros. CUDA's qualifiers are macros in its headers, and programs test
// with #ifndef whether they are defined: so they are, and expand to themselves.
#pragma once
#include "predefined.h"

// The flag -undef, which CUDA programs are read with, leaves these of the host compiler.
#ifdef CUDA_SHIM_CUDA
#include "nvrtc_language_macros.h"
#undef _GNU_SOURCE
#undef _LIBCPP_ABI_NAMESPACE
#undef _LIBCPP_ABI_VERSION
#undef _LIBCPP_ASSERTION_SEMANTIC_DEFAULT
#undef _LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS
#undef _LIBCPP_HARDENING_MODE
#undef _LIBCPP_HAS_FILESYSTEM
#undef _LIBCPP_HAS_LOCALIZATION
#undef _LIBCPP_HAS_MONOTONIC_CLOCK
#undef _LIBCPP_HAS_MUSL_LIBC
#undef _LIBCPP_HAS_NO_STD_MODULES
#undef _LIBCPP_HAS_RANDOM_DEVICE
#undef _LIBCPP_HAS_TERMINAL
#undef _LIBCPP_HAS_THREADS
#undef _LIBCPP_HAS_TIME_ZONE_DATABASE
#undef _LIBCPP_HAS_UNICODE
#undef _LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS
#undef _LIBCPP_HAS_WIDE_CHARACTERS
#undef _LIBCPP_PSTL_BACKEND_SERIAL
#undef _LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS
#undef _STDC_PREDEF_H
#undef __GLIBC_MINOR__
#undef __GCC_HAVE_DWARF2_CFI_ASM
#undef __STDCPP_THREADS__
#undef __STDC_EMBED_EMPTY__
#undef __STDC_EMBED_FOUND__
#undef __STDC_EMBED_NOT_FOUND__
#undef __STDC_IEC_559__
#undef __STDC_IEC_559_COMPLEX__
#undef __STDC_IEC_60559_BFP__
#undef __STDC_IEC_60559_COMPLEX__
#undef __STDC_ISO_10646__
#undef __STDC_UTF_16__
#undef __STDC_UTF_32__
#define NULL 0
#ifndef __STDCPP_DEFAULT_NEW_ALIGNMENT__  // from CUDA 12 on, and in some host compilers
#define __STDCPP_DEFAULT_NEW_ALIGNMENT__ 16ul
#endif
#define CUDART_DEVICE __device__
#define __builtin_align__ __builtin_align__
#define __cluster_dims__ __cluster_dims__
#define __thread__ __thread__
#if CUDA_SHIM_CUDA >= 12000
#define __block_size__ __block_size__
#define __maxnreg__ __maxnreg__
#define __nv_pure__ __nv_pure__
#endif
#endif

#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __constant__ __constant__
#define __shared__ __shared__
#define __managed__ __managed__
#define __launch_bounds__ __launch_bounds__
#define __forceinline__ __forceinline__
#define __noinline__ __noinline__
#define __align__ __align__
#define __grid_constant__ __grid_constant__
