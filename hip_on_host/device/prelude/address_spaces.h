// Tests for the memory space of a pointer, and addresses as numbers. A host has one address space, so the numbers are
// the addresses; shared, constant and local memory is recognised by its place in the module and the running thread.
#pragma once
// Part for programs with names that begin with: __isGlobal __isShared __isClusterShared __isConstant __isLocal
//   __cvta_

CUDA_SHIM_INLINE size_t cuda_shim_address_number(const void* p) { return (size_t)p; }
CUDA_SHIM_INLINE void* cuda_shim_number_address(size_t p) { return (void*)p; }
#define __cvta_generic_to_global cuda_shim_address_number
#define __cvta_generic_to_shared cuda_shim_address_number
#define __cvta_generic_to_local cuda_shim_address_number
#define __cvta_generic_to_constant cuda_shim_address_number
#define __cvta_generic_to_grid_constant cuda_shim_address_number
#define __cvta_global_to_generic cuda_shim_number_address
#define __cvta_shared_to_generic cuda_shim_number_address
#define __cvta_local_to_generic cuda_shim_number_address
#define __cvta_constant_to_generic cuda_shim_number_address
#define __cvta_grid_constant_to_generic cuda_shim_number_address

CUDA_SHIM_INLINE bool cuda_shim_lies_in(const void* p, const void* begin, size_t bytes) {
    return (size_t)p - (size_t)begin < bytes;
}

// Statically shared variables are thread-local variables of the module (see qualifiers.h).
#if defined(__x86_64__)
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) bool cuda_shim_is_shared_variable(const void* p) {
    const char* copy = cuda_shim_own_variables();
    return copy && cuda_shim_lies_in(p, copy, cuda_shim_thread_locals.bytes);
}
#else
// glibc reports the place of the calling thread's; the first fields of its dl_phdr_info and a program header of 64
// bits, without their heavy headers.
struct cuda_shim_program_header {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};
struct cuda_shim_loaded_object {
    uint64_t base;
    const char* name;
    const cuda_shim_program_header* headers;
    uint16_t header_count;
    unsigned long long added, removed;
    size_t thread_local_module;
    void* thread_local_data;  // the calling thread's, or null while it has none
};
struct cuda_shim_shared_search {
    const void* wanted;
    bool found;
};
// Under names of our own: the program's headers may declare them with glibc's types.
extern "C" int cuda_shim_each_object(int (*visit)(cuda_shim_loaded_object*, size_t, void*), void*) __asm__("dl_iterate_phdr");

static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) int cuda_shim_look_for_shared(cuda_shim_loaded_object* object, size_t, void* data) {
    cuda_shim_shared_search* search = (cuda_shim_shared_search*)data;
    bool this_module = false;
    uint64_t thread_local_bytes = 0;
    for (int i = 0; i < object->header_count; ++i) {
        const cuda_shim_program_header& header = object->headers[i];
        if (header.type == 1)  // PT_LOAD
            this_module = this_module || cuda_shim_lies_in(&cuda_shim_services, (const void*)(object->base + header.address), header.memory_bytes);
        if (header.type == 7) thread_local_bytes = header.memory_bytes;  // PT_TLS
    }
    if (!this_module) return 0;
    search->found = object->thread_local_data && cuda_shim_lies_in(search->wanted, object->thread_local_data, thread_local_bytes);
    return 1;
}
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) bool cuda_shim_is_shared_variable(const void* p) {
    cuda_shim_shared_search search = {p, false};
    cuda_shim_each_object(cuda_shim_look_for_shared, &search);
    return search.found;
}
#endif
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) unsigned int __isShared(const void* p) {
    return cuda_shim_lies_in(p, cuda_shim_run->dynamic_shared, cuda_shim_run->dynamic_shared_bytes) ||
           cuda_shim_is_shared_variable(p);
}

extern "C" const CudaShimKernelModule* cuda_shim_kernel_module(const CudaShimRuntimeServices*);
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) unsigned int __isConstant(const void* p) {
    const CudaShimKernelModule* module = cuda_shim_kernel_module(cuda_shim_services);
    for (uint32_t i = 0; i < module->symbol_count; ++i) {
        const CudaShimSymbol& symbol = module->symbols[i];
        if (symbol.kind == CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE && cuda_shim_lies_in(p, symbol.address, symbol.size)) return 1;
    }
    return 0;
}

// A thread's own variables are above the frame of the function that it calls, up to where its stack begins.
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) unsigned int __isLocal(const void* p) {
    const char* frame = (const char*)__builtin_frame_address(0);
    // A thread has 256 KiB, a loop over threads 8 MiB (engine/kernel_stacks.cpp, faults.cpp); behind them comes a guard.
    return cuda_shim_lies_in(p, frame, cuda_shim_run->block_scheduler ? 256u << 10 : 8u << 20);
}
CUDA_SHIM_INLINE unsigned int __isGlobal(const void* p) { return !__isShared(p) && !__isConstant(p) && !__isLocal(p); }

// The address may be any block's of the cluster. NVRTC has the function for GPUs that have clusters.
#ifdef CUDA_SHIM_HAS_CLUSTERS
#include "clusters.h"
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) unsigned int __isClusterShared(const void* p) {
    return __isShared(p) || (cuda_shim_run->cluster && cuda_shim_rank_of_shared(p) >= 0);
}
#endif
