// CUDA's qualifiers as attributes of the host compiler.
#pragma once

// Headers of ours test this instead of __clang__, which NVRTC does not define: where a program is only read, __clang__
// is undefined before its own includes.
#ifdef __clang__
#define CUDA_SHIM_CLANG
#endif

// Checked kernels call built-ins, so that each is seen to come from a line of the program.
#ifdef CUDA_SHIM_CHECKED
#define CUDA_SHIM_INLINE static inline
#else
#define CUDA_SHIM_INLINE static inline __attribute__((always_inline))
#endif
// In front of a declaration: a fact about the function, which the compiler of kernels knows by the function's name
// (kernel_compiler/analyse/function_facts.h), so that it holds for all overloads.
//   pure         The result depends on the arguments alone: threads with the same arguments get the same one.
//   vector       Processors have an instruction for it that computes several lanes.
//   waits        The thread may wait for other threads. Types and namespaces of such functions have the fact too.
//   block_local  An atomic operation that has a form for shared memory, without a lock.
#ifndef CUDA_SHIM_FACT
#define CUDA_SHIM_FACT(fact)
#endif
// Storage for a whole block's threads, which must not be filled with a pattern each time (see compiler.cpp).
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_UNINITIALISED __attribute__((uninitialized))
#else
#define CUDA_SHIM_UNINITIALISED
#endif
// Functions whose own accesses to memory are not announced to the runtime (checks.h).
#if !defined(CUDA_SHIM_CHECKED)
#define CUDA_SHIM_UNCHECKED
#elif defined(CUDA_SHIM_CLANG)
#define CUDA_SHIM_UNCHECKED __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#else
#define CUDA_SHIM_UNCHECKED __attribute__((no_sanitize_thread))
#endif
// Functions that are there and hardly ever run, and those of them that every module has: optimising a nest of loops takes
// Clang 3 ms.
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_SELDOM __attribute__((noinline, cold, minsize))
#define CUDA_SHIM_UNOPTIMISED __attribute__((noinline, cold, optnone))
#else
#define CUDA_SHIM_SELDOM __attribute__((noinline, cold))
#define CUDA_SHIM_UNOPTIMISED CUDA_SHIM_SELDOM
#endif
// Before a statement: its calls stay apart from equal ones (for GCC by flags, see compiler.cpp).
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_UNMERGED [[clang::nomerge]]
#else
#define CUDA_SHIM_UNMERGED
#endif
// A function of its arguments alone, although -frounding-math (compiler.cpp) makes GCC consider the rounding mode.
#define CUDA_SHIM_CONST __attribute__((const))
#ifndef CUDA_SHIM_CLANG
// GCC would take these built-ins to read the rounding mode, and make no vectors of them; a declaration can say otherwise,
// but only of the C library's name.
extern "C" {
CUDA_SHIM_CONST double sqrt(double) noexcept;
CUDA_SHIM_CONST float sqrtf(float) noexcept;
CUDA_SHIM_CONST double rint(double) noexcept;
CUDA_SHIM_CONST float rintf(float) noexcept;
CUDA_SHIM_CONST double nearbyint(double) noexcept;
CUDA_SHIM_CONST float nearbyintf(float) noexcept;
CUDA_SHIM_CONST double fma(double, double, double) noexcept;
CUDA_SHIM_CONST float fmaf(float, float, float) noexcept;
}
#define __builtin_sqrt(...) ::sqrt(__VA_ARGS__)
#define __builtin_sqrtf(...) ::sqrtf(__VA_ARGS__)
#define __builtin_rint(...) ::rint(__VA_ARGS__)
#define __builtin_rintf(...) ::rintf(__VA_ARGS__)
#define __builtin_nearbyint(...) ::nearbyint(__VA_ARGS__)
#define __builtin_nearbyintf(...) ::nearbyintf(__VA_ARGS__)
#define __builtin_fma(...) ::fma(__VA_ARGS__)
#define __builtin_fmaf(...) ::fmaf(__VA_ARGS__)
#endif
#define CUDA_SHIM_ALIGNED(bytes) __attribute__((aligned(bytes)))

// A kernel is inlined into the loop that runs its threads; nothing else calls it.
#define __global__ inline
#define __device__
#define __host__
// Variables keep an address that the host can ask for. Module variables get internal handling by the table of symbols
// and must survive although no kernel writes them.
#define __constant__ __attribute__((aligned(16)))
#define __managed__
// One block at a time runs on a worker thread, so a block's shared variables are its worker thread's own.
#define __shared__ thread_local __attribute__((aligned(64)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
#define __inline_hint__
#define __nv_pure__
// Qualifiers in NVIDIA's own headers of functions and types that their compiler knows.
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __tile_static__ __shared__
#ifndef CUDA_SHIM_STANDARD_HEADERS
#define __noinline__ __attribute__((noinline))  // libstdc++ and libc++ spell attributes with this word
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __thread__ thread_local
