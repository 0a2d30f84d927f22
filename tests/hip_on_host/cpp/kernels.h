// Kernels written by hand in the form that a kernel module has, for tests of the engine alone.
#pragma once
#include <cstdint>

#include "abi/kernel_module.h"
#include "engine/kernel.h"
#include "engine/services.h"

// Calls body(thread, block, run) for every thread of every block of the run, as run_threads does.
template <class Body>
void for_each_thread(const CudaShimKernelRun* run, Body&& body) {
    for (uint64_t block = run->first_block; block < run->last_block; block++) {
        for (uint32_t z = run->thread_lo[2]; z < run->thread_hi[2]; z++) {
            for (uint32_t y = run->thread_lo[1]; y < run->thread_hi[1]; y++) {
                for (uint32_t x = run->thread_lo[0]; x < run->thread_hi[0]; x++) {
                    body((z * run->block[1] + y) * run->block[0] + x, block);
                }
            }
        }
    }
}

template <class Value>
Value argument(const CudaShimKernelRun* run, int index) {
    return *static_cast<Value*>(run->args[index]);
}

inline int block_barrier(const CudaShimKernelRun* run, int predicate = 0) {
    return cuda_shim::runtime_services().block_barrier(run->block_scheduler, predicate);
}

// A kernel without a module.
struct TestKernel {
    explicit TestKernel(const char* name, void (*run_threads)(const CudaShimKernelRun*), bool has_barriers = false,
                        void (*run_split)(const CudaShimKernelRun*) = nullptr)
        : symbol{name, name, CUDA_SHIM_SYMBOL_KERNEL, 0, nullptr, nullptr, nullptr, nullptr, "", run_threads, run_split,
                 has_barriers, 0, nullptr, nullptr, 0, 1024, nullptr, 0, 0, {}, 0},
          kernel(symbol) {}

    hipError_t run(cuda_shim::Extent3 grid, cuda_shim::Extent3 block, void** args = nullptr, uint32_t shared = 0,
                   bool cooperative = false) {
        return cuda_shim::run_kernel({&kernel, grid, block, shared, cooperative, {}, nullptr, args});
    }

    CudaShimSymbol symbol;
    cuda_shim::Kernel kernel;
};
