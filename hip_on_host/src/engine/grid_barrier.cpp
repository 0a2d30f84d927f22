#include "engine/grid_barrier.h"

namespace cuda_shim {

void GridBarrier::open_if_complete() {
    if (arrived_ == 0 || arrived_ < blocks_) return;
    arrived_ = 0;
    generation_++;
    opened_.notify_all();
}

bool GridBarrier::wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (stopped_) return false;
    const uint64_t generation = generation_;
    arrived_++;
    open_if_complete();
    opened_.wait(lock, [&] { return generation_ != generation || stopped_; });
    return !stopped_;
}

void GridBarrier::restart(uint64_t blocks) {
    std::lock_guard<std::mutex> lock(mutex_);
    blocks_ = blocks;
    arrived_ = 0;
}

void GridBarrier::leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    blocks_--;
    open_if_complete();
}

void GridBarrier::stop() {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    opened_.notify_all();
}

}  // namespace cuda_shim
