// Variables that live across thread loops: an element for each thread.
#pragma once

#define CUDA_SHIM_SPLIT_THREADS 1024  // threads per block at most: the length of per-thread arrays

#define CUDA_SHIM_SPLIT_BYTES 3072   // for variables kept for each thread: 3 MiB for a block

// One element for each thread of a block, without construction: a variable that lives across barriers.
template <class T> union CUDA_SHIM_ALIGNED(64) cuda_shim_per_thread {
    T value[CUDA_SHIM_SPLIT_THREADS];
    __attribute__((always_inline)) cuda_shim_per_thread() {}
    __attribute__((always_inline)) ~cuda_shim_per_thread() {}
};
struct CUDA_SHIM_ALIGNED(64) cuda_shim_flags {
    unsigned char value[CUDA_SHIM_SPLIT_THREADS];
};

// True if nothing happens when an object of the type ends.
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_TRIVIALLY_DESTRUCTIBLE(type) __is_trivially_destructible(type)
#else
#define CUDA_SHIM_TRIVIALLY_DESTRUCTIBLE(type) __has_trivial_destructor(type)
#endif

struct cuda_shim_placement {};
inline __attribute__((always_inline)) void* operator new(size_t, cuda_shim_placement, void* p) { return p; }
template <class T> CUDA_SHIM_INLINE void* cuda_shim_place(T& v) { return (void*)__builtin_addressof(v); }

// `T v;` for an element of such an array: nothing for plain types, the constructor for classes.
template <class T> CUDA_SHIM_INLINE void cuda_shim_default_initialise(T& v) {
    new (cuda_shim_placement{}, cuda_shim_place(v)) T;
}
template <class T, size_t N> CUDA_SHIM_INLINE void cuda_shim_default_initialise(T (&v)[N]) {
    for (size_t i = 0; i < N; ++i) cuda_shim_default_initialise(v[i]);
}
// `T v = x;` at a place: `new T(x)` would be another way to make it, and is none for arrays.
template <class T> struct cuda_shim_first_value {
    T value;
};
