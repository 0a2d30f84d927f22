// A kernel as the engine knows it, and one launch of it.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "abi/hip_types.h"
#include "abi/kernel_module.h"

namespace cuda_shim {

constexpr uint32_t kMaxThreadsPerBlock = 1024;
// Limit of static and dynamic shared memory together for a kernel that did not ask for more (hipFuncSetAttribute).
constexpr uint32_t kSharedBytesPerBlock = 48u << 10;

class LoadedModule;

struct Extent3 {
    uint32_t x = 1, y = 1, z = 1;
    uint64_t count() const { return uint64_t{x} * y * z; }
    bool operator!=(const Extent3& other) const { return x != other.x || y != other.y || z != other.z; }
};

// The name expression, such as "fill<float>", or the name in the source; a mangled name of PTX is demangled.
std::string kernel_label(const CudaShimSymbol& symbol);

// Lives as long as its module; shared by all launches of the kernel.
struct Kernel {
    explicit Kernel(const CudaShimSymbol& description, const LoadedModule* owner = nullptr)
        : symbol(description), name(description.lowered_name), label(kernel_label(description)), module(owner) {}

    const CudaShimSymbol& symbol;
    const std::string name;            // lowered, as modules export it
    const std::string label;           // as the program wrote it: for messages
    const LoadedModule* const module;  // null: only `symbol` is known of the kernel

    // Time a worker needs for one block, learned from earlier launches; 0 before the first.
    std::atomic<uint64_t> nanoseconds_per_block{0};
    // The log has reported that this kernel runs on fibres, and why.
    std::atomic<bool> fibres_logged{false};
    // The log has reported that threads of it return where others still meet at barriers.
    std::atomic<bool> early_returns_logged{false};
};

class RunningKernel;
class HostAddresses;

struct KernelLaunch {
    Kernel* kernel = nullptr;
    Extent3 grid;
    Extent3 block;
    uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    Extent3 cluster;                         // in blocks; one block is no cluster
    CudaShimCluster* cluster_run = nullptr;  // set while a launch with clusters runs, by run_clusters
    void* const* args = nullptr;             // one address per parameter; read until the launch returns
    int device = 0;
    uint64_t resident_blocks = 1;      // blocks that may be under way at once, where they wait for each other
    RunningKernel* running = nullptr;  // set while it runs, by run_kernel
    uint32_t call = 0;                 // the program's call that asked for it: place_of_call()
    const HostAddresses* host_addresses = nullptr;  // set where arguments hold addresses that the kernel may not use
};

// Runs the whole grid and returns when it is done. The caller has checked (hip/launch/launch.cpp) that extents are not
// zero and that the block and its shared memory are within the limits. Returns hipSuccess; hipErrorIllegalAddress,
// hipErrorLaunchFailure or hipErrorAssert when the kernel was stopped (a line in the log names the place);
// hipErrorOutOfMemory when the launch's own memory cannot be had.
hipError_t run_kernel(const KernelLaunch& launch) noexcept;

}  // namespace cuda_shim
