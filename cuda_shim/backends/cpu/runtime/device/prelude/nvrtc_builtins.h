// What NVRTC knows without a header and no CUDA manual lists: NVIDIA's own headers, and CUDA's C++ core libraries among
// them, call it.
#pragma once

CUDA_SHIM_INLINE unsigned int __isGridConstant(const void*) { return 0; }  // a kernel's parameters are its own copies
CUDA_SHIM_INLINE unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
CUDA_SHIM_INLINE unsigned int __nv_bswap32(unsigned int x) { return __builtin_bswap32(x); }
CUDA_SHIM_INLINE unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
CUDA_SHIM_INLINE void* __nv_associate_access_property(const void* p, unsigned long long) { return const_cast<void*>(p); }

// Copies to shared memory that a GPU makes by itself: here they are made when they are asked for.
CUDA_SHIM_INLINE void __nv_memcpy_async_shared_global_4(void* to, const void* from) { __builtin_memcpy(to, from, 4); }
CUDA_SHIM_INLINE void __nv_memcpy_async_shared_global_8(void* to, const void* from) { __builtin_memcpy(to, from, 8); }
CUDA_SHIM_INLINE void __nv_memcpy_async_shared_global_16(void* to, const void* from) { __builtin_memcpy(to, from, 16); }

#ifndef CUDA_SHIM_STANDARD_HEADERS
CUDA_SHIM_INLINE int __finite(double x) { return __builtin_isfinite(x); }
CUDA_SHIM_INLINE int __finitef(float x) { return __builtin_isfinite(x); }
CUDA_SHIM_INLINE int __isinf(double x) { return __builtin_isinf(x); }
CUDA_SHIM_INLINE int __isinff(float x) { return __builtin_isinf(x); }
CUDA_SHIM_INLINE int __isnan(double x) { return __builtin_isnan(x); }
CUDA_SHIM_INLINE int __isnanf(float x) { return __builtin_isnan(x); }
CUDA_SHIM_INLINE int __signbit(double x) { return __builtin_signbit(x); }
CUDA_SHIM_INLINE int __signbitf(float x) { return __builtin_signbit(x); }
#endif
