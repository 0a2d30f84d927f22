#include "engine/running_kernels.h"

#include <pthread.h>
#include <stdio.h>

#include <mutex>

#include "engine/block_runner.h"
#include "engine/clock.h"
#include "engine/grid_barrier.h"

namespace cuda_shim {
namespace {

struct List {
    std::mutex mutex;
    RunningKernel* first = nullptr;
    RunningLoop* first_loop = nullptr;
};

// A forked child leaks its parent's: the lock may have been held, and the kernels are run, by threads it does not have.
std::atomic<List*> current_list{nullptr};

void forget_list_in_child() { current_list.store(nullptr, std::memory_order_relaxed); }

// As the library loads, not on first use: see ThreadPool.
[[maybe_unused]] const int forget_list_registered = pthread_atfork(nullptr, nullptr, forget_list_in_child);

List& running() {
    List* found = current_list.load(std::memory_order_acquire);
    if (found) return *found;
    auto* fresh = new List;
    if (current_list.compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return *fresh;
    delete fresh;
    return *found;
}

const char* describe_form(KernelForm form) {
    switch (form) {
        case KernelForm::Threads:
            return "one thread after the other";
        case KernelForm::Watched:
            return "one thread after the other, on fibres where they wait";
        case KernelForm::Split:
            return "split at its barriers";
        case KernelForm::Fibres:
            return "on fibres";
    }
    return "";
}

}  // namespace

RunningKernel::RunningKernel(const KernelLaunch& launch, KernelForm form, GridBarrier* grid)
    : launch_(launch), form_(form), grid_(grid), since_(nanoseconds()), list_(&running()) {
    auto& list = *static_cast<List*>(list_);
    std::lock_guard<std::mutex> lock(list.mutex);
    next_ = list.first;
    if (next_) next_->previous_ = this;
    list.first = this;
}

RunningKernel::~RunningKernel() {
    auto& list = *static_cast<List*>(list_);
    std::lock_guard<std::mutex> lock(list.mutex);
    (previous_ ? previous_->next_ : list.first) = next_;
    if (next_) next_->previous_ = previous_;
}

RunningLoop::RunningLoop(int device) : device_(device), list_(&running()) {
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
    std::string text = "kernel " + launch_.kernel->name + " has been running for " + since + ", " +
                       describe_form(form_) + ", with " + std::to_string(launch_.grid.count()) + " blocks of " +
                       std::to_string(launch_.block.count()) + " threads";
    const unsigned all = workers.load(std::memory_order_relaxed);
    if (all && idle_workers.load(std::memory_order_relaxed) >= all) {
        text += "; every thread that is under way waits for memory that none of them writes";
    }
    return text;
}

void stop_kernels(int device, StopReason reason) {
    bool any = false;
    {
        List& list = running();
        std::lock_guard<std::mutex> lock(list.mutex);
        for (RunningKernel* one = list.first; one; one = one->next_) {
            if (device != kAllDevices && one->launch_.device != device) continue;
            one->stop(reason);
            any = true;
        }
        for (RunningLoop* loop = list.first_loop; loop; loop = loop->next_) {
            if (device == kAllDevices || loop->device_ == device) loop->stopped_.store(true, std::memory_order_relaxed);
        }
    }
    if (any) interrupt_kernel_threads();
}

std::string describe_running_kernels() {
    std::string text;
    List& list = running();
    std::lock_guard<std::mutex> lock(list.mutex);
    for (const RunningKernel* one = list.first; one; one = one->next_) {
        if (!text.empty()) text += "\n";
        text += one->describe();
    }
    return text;
}

}  // namespace cuda_shim
