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

#if defined(__clang__) && defined(__AVX512F__)
// Clang takes zmm16 to zmm31 and the mask registers for kept by a call of __tls_get_addr, while any function changes
// them. Without their values a kernel's own, such as its arguments, would be lost in a thread's first access.
#define CUDA_SHIM_VECTOR_LINES(line)                                                                                   \
    line(16) line(17) line(18) line(19) line(20) line(21) line(22) line(23)                                            \
    line(24) line(25) line(26) line(27) line(28) line(29) line(30) line(31)
#define CUDA_SHIM_MASK_LINES(line) line(0) line(1) line(2) line(3) line(4) line(5) line(6) line(7)
#ifdef __AVX512BW__
#define CUDA_SHIM_MOVE_MASK "kmovq "
#else
#define CUDA_SHIM_MOVE_MASK "kmovw "
#endif
#define CUDA_SHIM_SAVE_VECTOR(n) "vmovdqu64 %%zmm" #n ", 64*(" #n "-16)(%0)\n"
#define CUDA_SHIM_LOAD_VECTOR(n) "vmovdqu64 64*(" #n "-16)(%0), %%zmm" #n "\n"
#define CUDA_SHIM_SAVE_MASK(n) CUDA_SHIM_MOVE_MASK "%%k" #n ", 8*" #n "(%1)\n"
#define CUDA_SHIM_LOAD_MASK(n) CUDA_SHIM_MOVE_MASK "8*" #n "(%1), %%k" #n "\n"
CUDA_SHIM_UNCHECKED __attribute__((noinline, cold)) static char* cuda_shim_make_variables() {
    __attribute__((uninitialized)) char vectors[16 * 64], masks[8 * 8];
    __asm__ volatile(CUDA_SHIM_VECTOR_LINES(CUDA_SHIM_SAVE_VECTOR) CUDA_SHIM_MASK_LINES(CUDA_SHIM_SAVE_MASK)
                     : : "r"(vectors), "r"(masks) : "memory");
    char* const copy = (char*)cuda_shim_thread_locals.make_copy(cuda_shim_thread_locals.variables);
    __asm__ volatile(CUDA_SHIM_VECTOR_LINES(CUDA_SHIM_LOAD_VECTOR) CUDA_SHIM_MASK_LINES(CUDA_SHIM_LOAD_MASK)
                     : : "r"(vectors), "r"(masks) : "memory");
    return copy;
}
#undef CUDA_SHIM_VECTOR_LINES
#undef CUDA_SHIM_MASK_LINES
#undef CUDA_SHIM_MOVE_MASK
#undef CUDA_SHIM_SAVE_VECTOR
#undef CUDA_SHIM_LOAD_VECTOR
#undef CUDA_SHIM_SAVE_MASK
#undef CUDA_SHIM_LOAD_MASK
#else
CUDA_SHIM_UNCHECKED __attribute__((noinline, cold)) static char* cuda_shim_make_variables() {
    return (char*)cuda_shim_thread_locals.make_copy(cuda_shim_thread_locals.variables);
}
#endif

// Its name in C++ leaves the C library's to the program.
extern "C" CUDA_SHIM_UNCHECKED __attribute__((weak, visibility("hidden"), used))
void* cuda_shim_tls_get_addr(cuda_shim_thread_local_place* place) __asm__("__tls_get_addr");
void* cuda_shim_tls_get_addr(cuda_shim_thread_local_place* place) {
    char* copy = cuda_shim_own_variables();
    if (__builtin_expect(!copy, 0)) copy = cuda_shim_make_variables();
    return copy + place->offset;
}
#else
// Compilers for other processors have the address looked up by a descriptor that the system's loader fills.
#define CUDA_SHIM_THREAD_LOCALS nullptr
#endif
