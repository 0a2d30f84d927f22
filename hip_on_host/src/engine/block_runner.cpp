#include "engine/block_runner.h"

#include <stdio.h>

#include <new>

#include "common/log.h"
#include "common/settings.h"
#include "engine/fault_report.h"
#include "engine/loaded_module.h"

namespace cuda_shim {
namespace {

// Blocks longer than this, or of unknown length, are called one at a time, so that a fault can name its block.
constexpr uint64_t kSingleBlockNanoseconds = 1'000;

}  // namespace

ExecutionMode choose_execution_mode(Kernel& kernel) {
    const CudaShimSymbol& symbol = kernel.symbol;
    if (kernel.module && kernel.module->runs_single_threads()) return ExecutionMode::Fibres;
    if (!symbol.has_barriers) {
        if (!symbol.may_wait) return ExecutionMode::Threads;
        if (!kernel.fibres_logged.exchange(true, std::memory_order_relaxed)) {
            log(LogLevel::Info, "kernel %s runs one thread after the other, and on fibres where one waits for others",
                kernel.label.c_str());
        }
        return ExecutionMode::Watched;
    }
    if (symbol.run_split && settings().split) return ExecutionMode::Split;
    if (!kernel.fibres_logged.exchange(true, std::memory_order_relaxed)) {
        const char* reason = symbol.run_split ? "CUDA_SHIM_CPU_SPLIT=0" : symbol.reason;
        log(LogLevel::Info, "kernel %s runs on fibres: %s", kernel.label.c_str(), reason ? reason : "no split form");
    }
    return ExecutionMode::Fibres;
}

void FirstFault::record(const KernelFrame& frame) noexcept {
    int expected = hipSuccess;
    if (frame.quiet) return;
    if (!error_.compare_exchange_strong(expected, frame.error, std::memory_order_relaxed)) return;
    try {
        report_fault(frame);
    } catch (const std::bad_alloc&) {
        log(LogLevel::Error, "kernel %s was stopped; the details need memory, which is exhausted",
            frame.launch->kernel->label.c_str());
    }
}

BlockRunner::BlockRunner(const KernelLaunch& launch, ExecutionMode mode, uint64_t estimate, void* grid_scheduler)
    : one_at_a_time_(!launch.kernel->symbol.whole_runs && (estimate == 0 || estimate > kSingleBlockNanoseconds)) {
    frame_.launch = &launch;
    if (mode == ExecutionMode::Fibres || mode == ExecutionMode::Watched) {
        residents_.emplace(launch, mode == ExecutionMode::Watched, grid_scheduler, frame_);
        if (residents_->prepare() != hipSuccess) refuse(hipErrorOutOfMemory, "no memory for its threads");
        return;
    }
    void* shared = nullptr;
    if (launch.dynamic_shared_bytes) {
        lease_.emplace();
        shared = (*lease_)->dynamic_shared(launch.dynamic_shared_bytes);
        if (!shared) refuse(hipErrorOutOfMemory, "no memory for its dynamic shared memory");
    }
    entry_ = mode == ExecutionMode::Split ? launch.kernel->symbol.run_split : launch.kernel->symbol.run_threads;
    const uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
    const uint32_t block[3] = {launch.block.x, launch.block.y, launch.block.z};
    run_.args = launch.args;
    for (int axis = 0; axis < 3; axis++) {
        run_.grid[axis] = grid[axis];
        run_.block[axis] = run_.thread_hi[axis] = block[axis];
    }
    run_.dynamic_shared = shared;
    run_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    run_.cooperative = grid_scheduler != nullptr;
    run_.grid_scheduler = grid_scheduler;
    run_.cluster = launch.cluster_run;
}

void BlockRunner::refuse(hipError_t error, const char* reason) {
    frame_.error = error;
    snprintf(frame_.reason, sizeof frame_.reason, "%s", reason);
}

bool BlockRunner::run_protected(void (*body)(void*), void* argument) {
    if (frame_.error != hipSuccess) return false;
    const bool finished = cuda_shim::run_protected(frame_, body, argument);
    if (!finished && residents_) residents_->forget();
    return finished;
}

void BlockRunner::run(uint64_t first, uint64_t last) {
    if (residents_) {
        for (; first < last; first++) residents_->run(first);
        return;
    }
    const uint64_t step = one_at_a_time_ ? 1 : last - first;
    for (; first < last; first += step) {
        frame_.first_block = run_.first_block = first;
        frame_.last_block = run_.last_block = first + step;
        call_on_kernel_stack(call_entry, this);
    }
}

void BlockRunner::call_entry(void* runner) {
    auto& self = *static_cast<BlockRunner*>(runner);
    try {
        self.entry_(&self.run_);
    } catch (...) {
        stop_kernel(hipErrorLaunchFailure, "an exception left the kernel");
    }
}

void BlockRunner::finish() {
    if (residents_) residents_->finish();
}

}  // namespace cuda_shim
