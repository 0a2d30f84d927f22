// The runtime places each worker's copy of thread-local variables, which __shared__ variables are: the module defines
// the function that compilers have called for their addresses. The C library's function would put them into the
// process's heap, where a write beyond an array corrupts Python's memory.
#pragma once

#if defined(__x86_64__)
#ifdef CUDA_SHIM_RELOCATABLE
inline __attribute__((visibility("hidden"))) CudaShimThreadLocals cuda_shim_thread_locals;
#else
static CudaShimThreadLocals cuda_shim_thread_locals;
#endif
#define CUDA_SHIM_THREAD_LOCALS &cuda_shim_thread_locals

struct cuda_shim_thread_local_place {
    size_t module, offset;
};

// The calling thread's copy, or null while it has none.
CUDA_SHIM_UNCHECKED CUDA_SHIM_INLINE char* cuda_shim_own_variables() {
    char* const* table;
    __asm__ volatile("movq %%fs:(%1), %0" : "=r"(table) : "r"(cuda_shim_thread_locals.table));
    return table[cuda_shim_thread_locals.number];
}

// Its name in C++ leaves the C library's to the program.
extern "C" CUDA_SHIM_UNCHECKED __attribute__((weak, visibility("hidden"), used))
void* cuda_shim_tls_get_addr(cuda_shim_thread_local_place* place) __asm__("__tls_get_addr");
void* cuda_shim_tls_get_addr(cuda_shim_thread_local_place* place) {
    char* copy = cuda_shim_own_variables();
    if (__builtin_expect(!copy, 0)) copy = (char*)cuda_shim_thread_locals.make_copy(cuda_shim_thread_locals.variables);
    return copy + place->offset;
}
#else
// Compilers for other processors have the address looked up by a descriptor that the system's loader fills.
#define CUDA_SHIM_THREAD_LOCALS nullptr
#endif
