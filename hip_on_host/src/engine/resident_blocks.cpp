#include "engine/resident_blocks.h"

#include <sched.h>
#include <string.h>

#include <algorithm>

#include "engine/clock.h"
#include "engine/loaded_module.h"
#include "engine/running_kernels.h"

namespace cuda_shim {

ResidentBlocks::ResidentBlocks(const KernelLaunch& launch, bool as_loop, void* grid_scheduler, KernelFrame& frame)
    : launch_(launch),
      as_loop_(as_loop),
      grid_scheduler_(grid_scheduler),
      frame_(frame),
      max_blocks_(std::max<uint64_t>(1, launch.resident_blocks)) {}

ResidentBlocks::~ResidentBlocks() {
    if (reported_idle_) launch_.running->idle_workers.fetch_sub(1, std::memory_order_relaxed);
}

hipError_t ResidentBlocks::prepare() { return add_free(); }

hipError_t ResidentBlocks::add_free() {
    try {
        auto resident = std::make_unique<Resident>();
        void* shared = nullptr;
        if (launch_.dynamic_shared_bytes) {
            shared = resident->memory->dynamic_shared(launch_.dynamic_shared_bytes);
            if (!shared) return hipErrorOutOfMemory;
            if (!dynamic_shared_) dynamic_shared_ = shared;
        }
        // Nothing is allocated while blocks run.
        const LoadedModule* module = launch_.kernel->module;
        const ThreadLocals variables = module ? module->thread_locals_of_worker() : ThreadLocals{};
        if (max_blocks_ > 1) resident->variables.reserve(variables.bytes);
        resident->fibres = &resident->memory->fibres();
        const hipError_t error = resident->fibres->prepare(launch_, as_loop_, shared, grid_scheduler_);
        if (error != hipSuccess) return error;
        const size_t all = free_.size() + aside_.size() + 1;
        free_.reserve(all);
        aside_.reserve(all);
        free_.push_back(std::move(resident));
        frame_.fibres = free_.back()->fibres;
        return hipSuccess;
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    }
}

// A place for one more block; false when there is none until another one has ended.
bool ResidentBlocks::ensure_free() {
    if (!free_.empty()) return true;
    if (aside_.size() >= max_blocks_) return false;
    if (add_free() == hipSuccess) return true;
    max_blocks_ = aside_.size();  // as many as memory has room for
    return false;
}

// The worker's copy of the module's variables becomes the block's.
void ResidentBlocks::occupy(Resident& resident) {
    frame_.fibres = resident.fibres;
    frame_.first_block = resident.block;
    frame_.last_block = resident.block + 1;
    if (occupant_ == &resident) return;
    const LoadedModule* module = launch_.kernel->module;
    const ThreadLocals variables = module ? module->thread_locals_of_worker() : ThreadLocals{};
    if (occupant_) occupant_->variables.assign(variables.begin, variables.begin + variables.bytes);
    if (!resident.variables.empty()) memcpy(variables.begin, resident.variables.data(), variables.bytes);
    resident.variables.clear();
    occupant_ = &resident;
}

void ResidentBlocks::run(uint64_t block) {
    while (!ensure_free()) resume_one();
    Resident& resident = *free_.back();
    resident.block = block;
    occupy(resident);
    if (resident.fibres->run(block)) {
        occupant_ = nullptr;
        return;
    }
    aside_.push_back(std::move(free_.back()));
    free_.pop_back();
    stop_kernel_if_requested();
}

void ResidentBlocks::resume_one() {
    stop_kernel_if_requested();
    if (next_ >= aside_.size()) next_ = 0;
    occupy(*aside_[next_]);
    if (!aside_[next_]->fibres->resume()) {
        back_off(aside_[next_++]->fibres->waits_for_others());
        return;
    }
    occupant_ = nullptr;
    free_.push_back(std::move(aside_[next_]));
    aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(next_));
    vain_resumes_ = 0;
    count_waits_anew();
}

void ResidentBlocks::count_waits_anew() {
    waiting_resumes_ = 0;
    waiting_since_ = 0;
    if (reported_idle_) launch_.running->idle_workers.fetch_sub(1, std::memory_order_relaxed);
    reported_idle_ = false;
}

// Yields the processor once all blocks here were resumed in vain. The worker is idle if their threads did nothing but
// wait for long, as `waits` says of the block that was resumed last.
void ResidentBlocks::back_off(bool waits) {
    // On a busy machine each round takes a time slice of the system: then fewer rounds show as much.
    constexpr unsigned kResumesUntilIdle = 1000, kRoundsUntilIdle = 10;
    constexpr uint64_t kNanosecondsUntilIdle = 50'000'000;
    if (waits)
        waiting_resumes_++;
    else
        count_waits_anew();
    if (++vain_resumes_ % aside_.size() != 0) return;
    sched_yield();
    if (reported_idle_ || !launch_.running) return;
    if (!waiting_since_) waiting_since_ = nanoseconds();
    const bool waits_long =
        waiting_resumes_ >= kRoundsUntilIdle * aside_.size() && nanoseconds() - waiting_since_ >= kNanosecondsUntilIdle;
    if (waiting_resumes_ < kResumesUntilIdle && !waits_long) return;
    reported_idle_ = true;
    launch_.running->idle_workers.fetch_add(1, std::memory_order_relaxed);
}

void ResidentBlocks::finish() {
    while (!aside_.empty()) resume_one();
}

void ResidentBlocks::forget() {
    for (std::vector<ResidentPointer>* blocks : {&free_, &aside_}) {
        for (const ResidentPointer& block : *blocks) block->fibres->forget_threads();
    }
}

}  // namespace cuda_shim
