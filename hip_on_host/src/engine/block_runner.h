// The part of a launch that one thread does: blocks in the kernel's execution mode, with faults caught.
#pragma once
#include <atomic>
#include <optional>

#include "engine/faults.h"
#include "engine/kernel.h"
#include "engine/resident_blocks.h"
#include "engine/worker_memory.h"

namespace cuda_shim {

// How the threads of a block run on the host.
enum class ExecutionMode {
    Threads,  // no barriers: one thread after the other
    Watched,  // the same, but each thread gets a stack of its own once one polls memory
    Split,    // the lowered function, whose thread loops are split at the barriers
    Fibres,   // a stack for each thread
};

ExecutionMode choose_execution_mode(Kernel& kernel);

// The first fault of a launch, which is the only one reported.
class FirstFault {
public:
    void record(const KernelFrame& frame) noexcept;
    bool none() const { return error_.load(std::memory_order_relaxed) == hipSuccess; }
    hipError_t error() const { return static_cast<hipError_t>(error_.load(std::memory_order_relaxed)); }

private:
    std::atomic<int> error_{hipSuccess};
};

class BlockRunner {
public:
    // `estimate`: nanoseconds a block is thought to take, 0 when unknown. Throws std::bad_alloc.
    BlockRunner(const KernelLaunch& launch, ExecutionMode mode, uint64_t estimate, void* grid_scheduler);

    // Calls body(argument), which may call `run`. False when the kernel was stopped or could not be started; frame()
    // then has the reason.
    bool run_protected(void (*body)(void*), void* argument);
    // Runs blocks [first, last). Blocks that wait for others may be left for later calls, and for `finish`.
    void run(uint64_t first, uint64_t last);
    void finish();
    bool any_set_aside() const { return residents_ && residents_->any_set_aside(); }
    const KernelFrame& frame() const { return frame_; }
    void* dynamic_shared() const { return residents_ ? residents_->dynamic_shared() : run_.dynamic_shared; }

private:
    void refuse(hipError_t error, const char* reason);
    static void call_entry(void* runner);

    const bool one_at_a_time_;
    KernelFrame frame_;
    CudaShimKernelRun run_ = {};
    void (*entry_)(const CudaShimKernelRun*) = nullptr;
    std::optional<WorkerMemoryLease> lease_;
    std::optional<ResidentBlocks> residents_;  // set where threads have stacks
};

// A launch with clusters: they run one after the other, the blocks of each on threads of their own.
hipError_t run_clusters(const KernelLaunch& launch);

// A cooperative launch: every block of the grid on a thread of its own, so that blocks may wait for each other.
hipError_t run_cooperative(const KernelLaunch& launch);

}  // namespace cuda_shim
