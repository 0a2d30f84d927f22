#include "engine/running_kernels.h"

#include <pthread.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "common/settings.h"
#include "engine/block_runner.h"
#include "engine/clock.h"
#include "engine/global_shadow.h"
#include "engine/grid_barrier.h"
#include "engine/per_process.h"
#include "engine/worker_thread.h"

namespace cuda_shim {
namespace {

// A cache line each: threads that launch small kernels at the same time would wait for one another at a single list.
struct alignas(64) List {
    std::mutex mutex;
    RunningKernel* first = nullptr;
    RunningLoop* first_loop = nullptr;
};

struct Lists {
    std::array<List, 16> lists;

    List& of_this_thread() {
        static std::atomic<unsigned> threads{0};
        thread_local const unsigned number = threads.fetch_add(1, std::memory_order_relaxed);
        return lists[number % lists.size()];
    }
};

Lists& running() { return PerProcess<Lists>::instance(); }

template <class Visit>
void for_each_list(Visit&& visit) {
    for (List& list : running().lists) {
        std::lock_guard<std::mutex> lock(list.mutex);
        visit(list);
    }
}

const char* describe_mode(ExecutionMode mode) {
    switch (mode) {
        case ExecutionMode::Threads:
            return "one thread after the other";
        case ExecutionMode::Watched:
            return "one thread after the other, on fibres where they wait";
        case ExecutionMode::Split:
            return "split at its barriers";
        case ExecutionMode::Fibres:
            return "on fibres";
    }
    return "";
}

// Stops kernels that run for too long. One thread, from the first launch of a process that has a limit on.
class TimeLimit {
public:
    static void watch() {
        TimeLimit& limit = instance();
        std::lock_guard<std::mutex> lock(limit.mutex_);
        limit.any_ = true;
        if (limit.started_) return limit.changed_.notify_one();
        pthread_t thread;
        if (!start_worker_thread(thread, run, &limit)) {
            log(LogLevel::Error, "CUDA_SHIM_CPU_KERNEL_TIMEOUT: no thread can be started to watch kernels");
            return;
        }
        pthread_detach(thread);
        limit.started_ = true;
    }
    static uint64_t allowed() { return static_cast<uint64_t>(settings().kernel_timeout * 1e9); }
    static void start_anew_in_child() { current().store(new TimeLimit, std::memory_order_relaxed); }

private:
    static std::atomic<TimeLimit*>& current() {
        static std::atomic<TimeLimit*> limit{new TimeLimit};
        return limit;
    }
    static TimeLimit& instance() { return *current().load(std::memory_order_acquire); }
    static void* run(void* limit);

    std::mutex mutex_;
    std::condition_variable changed_;
    bool started_ = false;
    bool any_ = false;  // kernels may be running
};

[[maybe_unused]] const int limit_anew_registered = pthread_atfork(nullptr, nullptr, TimeLimit::start_anew_in_child);

}  // namespace

// Asks kernels to stop whose time is over. Returns the nanoseconds until the next call is due; 0: nothing runs.
uint64_t stop_overdue_kernels() {
    constexpr uint64_t kAskAgain = 2'000'000;
    const uint64_t allowed = TimeLimit::allowed();
    uint64_t next = 0;
    bool overdue = false;
    for_each_list([&](const List& list) {
        const uint64_t now = nanoseconds();
        for (RunningKernel* kernel = list.first; kernel; kernel = kernel->next_) {
            const uint64_t end = kernel->since_ + allowed;
            if (end <= now) kernel->stop(StopReason::Timeout);
            overdue |= end <= now;
            const uint64_t remaining = end <= now ? kAskAgain : end - now;
            next = next ? std::min(next, remaining) : remaining;
        }
    });
    if (overdue) interrupt_kernel_threads();
    return next;
}

namespace {

void* TimeLimit::run(void* limit) {
    auto& self = *static_cast<TimeLimit*>(limit);
    pthread_setname_np(pthread_self(), "cuda_shim time");
    std::unique_lock<std::mutex> lock(self.mutex_);
    for (;;) {
        self.changed_.wait(lock, [&] { return self.any_; });
        self.any_ = false;
        lock.unlock();
        const uint64_t next = stop_overdue_kernels();
        lock.lock();
        if (next == 0) continue;
        self.any_ = true;
        self.changed_.wait_for(lock, std::chrono::nanoseconds(next), [] { return false; });
    }
}

}  // namespace

RunningKernel::RunningKernel(const KernelLaunch& launch, ExecutionMode mode, GridBarrier* grid)
    : launch_(launch), mode_(mode), grid_(grid), since_(nanoseconds()), list_(&running().of_this_thread()) {
    if (settings().check) {
        epoch_ = first_epoch();
        sync_ = std::make_unique<LaunchSync>();
    }
    if (settings().kernel_timeout > 0) TimeLimit::watch();
    auto& list = *static_cast<List*>(list_);
    std::lock_guard<std::mutex> lock(list.mutex);
    next_ = list.first;
    if (next_) next_->previous_ = this;
    list.first = this;
}

hipError_t RunningKernel::error_of_stop() const {
    return stopped() == StopReason::Timeout ? hipErrorLaunchTimeOut : hipErrorLaunchFailure;
}

RunningKernel::~RunningKernel() {
    auto& list = *static_cast<List*>(list_);
    std::lock_guard<std::mutex> lock(list.mutex);
    (previous_ ? previous_->next_ : list.first) = next_;
    if (next_) next_->previous_ = previous_;
}

RunningLoop::RunningLoop(int device) : device_(device), list_(&running().of_this_thread()) {
    auto& list = *static_cast<List*>(list_);
    std::lock_guard<std::mutex> lock(list.mutex);
    next_ = list.first_loop;
    if (next_) next_->previous_ = this;
    list.first_loop = this;
}

RunningLoop::~RunningLoop() {
    auto& list = *static_cast<List*>(list_);
    std::lock_guard<std::mutex> lock(list.mutex);
    (previous_ ? previous_->next_ : list.first_loop) = next_;
    if (next_) next_->previous_ = previous_;
}

void RunningKernel::stop(StopReason reason) {
    StopReason none = StopReason::None;
    stopped_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
    if (grid_) grid_->stop();
}

std::string RunningKernel::describe() const {
    char since[40];
    snprintf(since, sizeof since, "%.1f s", static_cast<double>(nanoseconds() - since_) / 1e9);
    std::string text = "kernel " + launch_.kernel->label + " has been running for " + since + ", " +
                       describe_mode(mode_) + ", with " + std::to_string(launch_.grid.count()) + " blocks of " +
                       std::to_string(launch_.block.count()) + " threads";
    const unsigned worker_count = workers.load(std::memory_order_relaxed);
    if (worker_count && idle_workers.load(std::memory_order_relaxed) >= worker_count) {
        text += "; every thread that is under way waits for memory that none of them writes";
    }
    return text;
}

void stop_kernels(int device, StopReason reason) {
    bool any = false;
    for_each_list([&](const List& list) {
        for (RunningKernel* kernel = list.first; kernel; kernel = kernel->next_) {
            if (device != kAllDevices && kernel->launch_.device != device) continue;
            kernel->stop(reason);
            any = true;
        }
        for (RunningLoop* loop = list.first_loop; loop; loop = loop->next_) {
            if (device == kAllDevices || loop->device_ == device) loop->stopped_.store(true, std::memory_order_relaxed);
        }
    });
    if (any) interrupt_kernel_threads();
}

std::string describe_running_kernels() {
    std::string text;
    for_each_list([&](const List& list) {
        for (const RunningKernel* kernel = list.first; kernel; kernel = kernel->next_) {
            if (!text.empty()) text += "\n";
            text += kernel->describe();
        }
    });
    return text;
}

}  // namespace cuda_shim
