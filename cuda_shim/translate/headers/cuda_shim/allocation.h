// operator new and delete: HIP's compiler has no library that defines them, and NVRTC declares the one that takes a place.
#pragma once
#pragma GCC system_header

__device__ inline void* operator new(__SIZE_TYPE__ bytes) { return malloc(bytes); }
__device__ inline void* operator new[](__SIZE_TYPE__ bytes) { return malloc(bytes); }
__device__ inline void* operator new(__SIZE_TYPE__, void* place) noexcept { return place; }
__device__ inline void* operator new[](__SIZE_TYPE__, void* place) noexcept { return place; }
__device__ inline void operator delete(void* memory) noexcept { free(memory); }
__device__ inline void operator delete[](void* memory) noexcept { free(memory); }
__device__ inline void operator delete(void* memory, __SIZE_TYPE__) noexcept { free(memory); }
__device__ inline void operator delete[](void* memory, __SIZE_TYPE__) noexcept { free(memory); }
__device__ inline void operator delete(void*, void*) noexcept {}
__device__ inline void operator delete[](void*, void*) noexcept {}
