// Shared parts of kernel modules written by hand for the tests: parameter tables, thread loops, the module's table.
#pragma once
#include <cstdint>
#include <type_traits>

#include "abi/kernel_module.h"

namespace {
// A module has no symbol of a plain name.
[[maybe_unused]] const CudaShimRuntimeServices* services = nullptr;
}  // namespace

// Sizes, alignments and kinds of a kernel's parameters, by C's rules.
template <class... P>
struct Parameters {
    static constexpr uint32_t count = sizeof...(P);
    uint32_t size[count + 1] = {sizeof(P)..., 0}, align[count + 1] = {alignof(P)..., 1}, offset[count + 1] = {};
    uint32_t kind[count + 1] = {(std::is_pointer_v<P> ? CUDA_SHIM_PARAMETER_POINTER
                                 : std::is_class_v<P> ? CUDA_SHIM_PARAMETER_CLASS
                                                      : CUDA_SHIM_PARAMETER_NUMBER)..., 0};
    constexpr Parameters() {
        uint32_t end = 0;
        for (uint32_t i = 0; i < count; i++) {
            offset[i] = (end + align[i] - 1) / align[i] * align[i];
            end = offset[i] + size[i];
        }
    }
};

template <class... P>
inline constexpr Parameters<P...> parameters;

using Entry = void (*)(const CudaShimKernelRun*);

template <class... P>
CudaShimSymbol kernel(const char* name, Entry run_threads, bool has_barriers = false, Entry run_split = nullptr,
                      uint32_t static_shared = 0, uint32_t max_threads = 1024) {
    return {name, name, CUDA_SHIM_SYMBOL_KERNEL, sizeof...(P), parameters<P...>.size, parameters<P...>.align,
            parameters<P...>.offset, parameters<P...>.kind, "", run_threads, run_split, has_barriers, 0, "written by hand",
            has_barriers && !run_split ? "written by hand without a split form" : nullptr, static_shared, max_threads,
            nullptr, 0, 0};
}

template <class T>
CudaShimSymbol variable(const char* name, uint32_t kind, T& value) {
    return {name, name, kind, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, nullptr, nullptr, 0, 0, &value, sizeof value, 0};
}

template <class T>
T argument(const CudaShimKernelRun* run, int index) {
    return *static_cast<T*>(run->args[index]);
}

// body(block, thread) for all threads of the run, in linear numbers.
template <class Body>
void each_thread(const CudaShimKernelRun* run, Body&& body) {
    for (uint64_t block = run->first_block; block < run->last_block; block++) {
        for (uint32_t z = run->thread_lo[2]; z < run->thread_hi[2]; z++) {
            for (uint32_t y = run->thread_lo[1]; y < run->thread_hi[1]; y++) {
                for (uint32_t x = run->thread_lo[0]; x < run->thread_hi[0]; x++) {
                    body(block, (z * run->block[1] + y) * run->block[0] + x);
                }
            }
        }
    }
}

inline uint64_t block_size(const CudaShimKernelRun* run) {
    return uint64_t{run->block[0]} * run->block[1] * run->block[2];
}

#ifndef MODULE_ABI_VERSION
#define MODULE_ABI_VERSION CUDA_SHIM_KERNEL_ABI_VERSION
#endif

#define MODULE(...)                                                                                      \
    extern "C" __attribute__((visibility("default"))) const CudaShimKernelModule* cuda_shim_kernel_module( \
        const CudaShimRuntimeServices* given) {                                                          \
        services = given;                                                                                \
        static const CudaShimSymbol symbols[] = {__VA_ARGS__};                                           \
        static const CudaShimKernelModule module = {MODULE_ABI_VERSION, sizeof symbols / sizeof *symbols, symbols}; \
        return &module;                                                                                  \
    }
