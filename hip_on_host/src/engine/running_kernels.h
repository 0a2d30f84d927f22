// The kernels that run now: their descriptions, and stopping them.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/kernel.h"
#include "engine/launch_sync.h"

namespace cuda_shim {

class GridBarrier;
enum class ExecutionMode;

enum class StopReason : int {
    None,
    Fault,        // a thread of it went wrong
    Interrupted,  // the program was
    Reset,        // its device is
    Timeout,      // it ran longer than the settings allow
};

// A launch while it runs, known to the whole process. On the stack of the thread that runs it.
class RunningKernel {
public:
    // `grid`: of a cooperative launch, whose blocks wait there.
    RunningKernel(const KernelLaunch& launch, ExecutionMode mode, GridBarrier* grid = nullptr);
    ~RunningKernel();
    RunningKernel(const RunningKernel&) = delete;
    RunningKernel& operator=(const RunningKernel&) = delete;

    // No thread of it goes on; the first reason counts.
    void stop(StopReason reason);
    StopReason stopped() const { return stopped_.load(std::memory_order_relaxed); }
    // The error of a launch that was stopped for no fault of its own.
    hipError_t error_of_stop() const;
    // The launch's first epoch, and the signals between its blocks; of checked launches.
    uint32_t epoch() const { return epoch_; }
    LaunchSync* sync() const { return sync_.get(); }

    // Threads that run blocks of it, and the number of them whose blocks all wait for memory.
    std::atomic<unsigned> workers{0}, idle_workers{0};

private:
    friend void stop_kernels(int device, StopReason reason);
    friend std::string describe_running_kernels();
    friend uint64_t stop_overdue_kernels();
    std::string describe() const;

    const KernelLaunch& launch_;
    const ExecutionMode mode_;
    GridBarrier* const grid_;
    const uint64_t since_;
    std::atomic<StopReason> stopped_{StopReason::None};
    uint32_t epoch_ = 0;
    std::unique_ptr<LaunchSync> sync_;
    void* list_;  // a list of the process that it was started in
    RunningKernel* previous_ = nullptr;
    RunningKernel* next_ = nullptr;
};

// Kernels that are run one after the other until one of them ends the loop. On the stack of the thread that runs them.
class RunningLoop {
public:
    explicit RunningLoop(int device);
    ~RunningLoop();
    RunningLoop(const RunningLoop&) = delete;
    RunningLoop& operator=(const RunningLoop&) = delete;

    // The kernels of the device were asked to stop since it began, even if none of them ran just then.
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

private:
    friend void stop_kernels(int device, StopReason reason);
    const int device_;
    std::atomic<bool> stopped_{false};
    void* list_;  // a list of the process that it was started in
    RunningLoop* previous_ = nullptr;
    RunningLoop* next_ = nullptr;
};

constexpr int kAllDevices = -1;

// Asks the kernels of a device to stop, and wakes the threads that run them. Threads in the runtime's own code are not
// stopped there: to be called again and again until the kernels are gone.
void stop_kernels(int device, StopReason reason);

// A line for each: its name, its running time, its execution mode, and whether all that it does is to wait.
std::string describe_running_kernels();

}  // namespace cuda_shim
