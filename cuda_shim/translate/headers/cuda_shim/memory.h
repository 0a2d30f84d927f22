// Loads and stores with cache hints.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

// Hints only: the value is the same.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_load(const T* pointer) { return *pointer; }
template <class T> CUDA_ON_HIP_DEVICE void cuda_on_hip_store(T* pointer, T value) { *pointer = value; }

// Loads that a loop may poll with: they go past the cache of a compute unit, and the compiler leaves each in its place.
template <unsigned Size> struct cuda_on_hip_word;
template <> struct cuda_on_hip_word<1> { typedef unsigned char __attribute__((may_alias)) type; };
template <> struct cuda_on_hip_word<2> { typedef unsigned short __attribute__((may_alias)) type; };
template <> struct cuda_on_hip_word<4> { typedef unsigned __attribute__((may_alias)) type; };
template <> struct cuda_on_hip_word<8> { typedef unsigned long long __attribute__((may_alias)) type; };
#if defined(__AMDGCN__)
#define CUDA_ON_HIP_LOAD_WORD(pointer, scope) __hip_atomic_load(pointer, __ATOMIC_RELAXED, scope)
#else
#define CUDA_ON_HIP_LOAD_WORD(pointer, scope) (*(const volatile Word*)(pointer))
#endif
#define CUDA_ON_HIP_LOAD(name, scope)                                                                    \
    template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_load_##name(const T* pointer) {                   \
        using Word = typename cuda_on_hip_word<(alignof(T) > 8 ? 8 : alignof(T))>::type;                  \
        Word words[sizeof(T) / sizeof(Word)];                                                             \
        for (unsigned i = 0; i < sizeof(T) / sizeof(Word); ++i) words[i] = CUDA_ON_HIP_LOAD_WORD((Word*)pointer + i, scope); \
        T result;                                                                                         \
        __builtin_memcpy(&result, words, sizeof(T));                                                      \
        return result;                                                                                    \
    }
CUDA_ON_HIP_LOAD(from_device, __HIP_MEMORY_SCOPE_AGENT)
CUDA_ON_HIP_LOAD(from_system, __HIP_MEMORY_SCOPE_SYSTEM)
#undef CUDA_ON_HIP_LOAD
#undef CUDA_ON_HIP_LOAD_WORD
