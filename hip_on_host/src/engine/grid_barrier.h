// The barrier of a cooperative launch: every block of the grid, each on its own thread.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cuda_shim {

class GridBarrier {
public:
    explicit GridBarrier(uint64_t blocks) : blocks_(blocks) {}

    // Called once by each block; returns when all blocks that have not ended have called. False when the launch
    // was stopped meanwhile.
    bool wait();
    // For another `blocks`, when all the earlier ones have ended.
    void restart(uint64_t blocks);
    // A block has ended: the others no longer wait for it.
    void leave();
    // A block was stopped: no block waits any more.
    void stop();

private:
    void open_if_complete();

    std::mutex mutex_;
    std::condition_variable opened_;
    uint64_t blocks_;
    uint64_t arrived_ = 0;
    uint64_t generation_ = 0;
    bool stopped_ = false;
};

}  // namespace cuda_shim
