// Which of two accesses of a block's threads came before the other, as the program's barriers order them.
//
// A clock counts arrivals at barriers and warp operations. What a thread does is stamped with it; a barrier orders
// everything stamped before its last arrival before whatever its threads do later.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>

#include "engine/kernel.h"
#include "engine/warp_state.h"

namespace cuda_shim {

class ThreadOrder {
public:
    explicit ThreadOrder(unsigned warp_shift) : warp_shift_(warp_shift) {}

    // True when times start anew: nothing stamped earlier means anything.
    bool start_block() {
        const bool anew = now_ >= kLatest;
        if (anew) now_ = 0;
        if (anew || !synchronised_) synchronised_ = std::make_unique<Lanes[]>(kMaxThreadsPerBlock);
        start_ = barrier_ = ++now_;
        memset(group_time_, 0, sizeof group_time_);
        return anew;
    }

    uint32_t now() const { return now_; }
    bool in_this_block(uint32_t time) const { return time >= start_ && time != 0; }

    // `thread` waits at a barrier, or in a warp operation.
    void arrive(unsigned thread) { arrival_[thread] = ++now_; }
    // Everybody has arrived at the block's barrier, and nobody has gone on yet.
    void open_barrier() { barrier_ = now_; }
    // `thread` goes on after a warp operation with the lanes of `group`, itself among them.
    void leave_warp_operation(unsigned thread, LaneMask group) {
        if (!group_time_[thread]) give_time(thread, group);
        const uint32_t time = group_time_[thread];
        group_time_[thread] = 0;
        for (; group; group &= group - 1) synchronised_[thread].with[lowest_lane(group)] = time;
    }

    // Is what `other` did at `time` of this block known to come before what `thread` does now?
    bool ordered(uint32_t time, unsigned other, unsigned thread) const {
        if (other == thread || time < barrier_) return true;
        return other >> warp_shift_ == thread >> warp_shift_ && time < synchronised_[thread].with[lane_of(other)];
    }

private:
    static constexpr uint32_t kLatest = 1u << 31;

    struct Lanes {
        uint32_t with[CUDA_SHIM_MAX_WARP_SIZE] = {};
    };

    unsigned lane_of(unsigned thread) const { return thread & ((1u << warp_shift_) - 1); }

    // The first of a group that goes on reads when the last one arrived, before any of them arrives elsewhere.
    void give_time(unsigned thread, LaneMask group) {
        const unsigned first = thread - lane_of(thread);
        uint32_t last = 0;
        for (LaneMask left = group; left; left &= left - 1) {
            const uint32_t arrival = arrival_[first + lowest_lane(left)];
            if (arrival > last) last = arrival;
        }
        for (LaneMask left = group; left; left &= left - 1) group_time_[first + lowest_lane(left)] = last;
    }

    const unsigned warp_shift_;
    uint32_t now_ = 0;
    uint32_t start_ = 0;
    uint32_t barrier_ = 0;  // when the last barrier opened
    uint32_t arrival_[kMaxThreadsPerBlock] = {};
    uint32_t group_time_[kMaxThreadsPerBlock] = {};  // of the operation that the thread has still to leave
    std::unique_ptr<Lanes[]> synchronised_;          // when each thread last met each lane of its warp
};

}  // namespace cuda_shim
