// The order of accesses by a block's threads, as the program's barriers define it.
//
// A clock counts arrivals at barriers and warp operations. Each access is stamped with it. A barrier orders the later
// accesses of its threads behind all accesses stamped before its last arrival. A named barrier orders the later
// accesses of the threads that wait there behind the accesses of all threads that came there, and behind all accesses
// ordered before these. An object that threads operate on atomically does the same for threads that read after others
// have written, as C++ defines release, acquire and fences: cuda::barrier, pipelines, semaphores and latches are made
// of such objects.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/kernel.h"
#include "engine/named_barriers.h"
#include "engine/warp_state.h"

namespace cuda_shim {

class ThreadOrder {
public:
    explicit ThreadOrder(unsigned warp_shift) : warp_shift_(warp_shift) {}

    // True when times start again: earlier stamps have no meaning then.
    bool start_block() {
        const bool anew = now_ >= kLatest;
        if (anew) now_ = 0;
        if (anew || !synchronised_) synchronised_ = std::make_unique<Lanes[]>(kMaxThreadsPerBlock);
        if (anew) known_times_.clear();
        for (Times& at : at_named_) at.clear();
        at_object_.clear();
        for (Times& times : before_fence_) times.clear();
        for (Times& times : at_fence_) times.clear();
        start_ = barrier_ = ++now_;
        memset(group_time_, 0, sizeof group_time_);
        return anew;
    }

    uint32_t now() const { return now_; }
    bool in_this_block(uint32_t time) const { return time >= start_ && time != 0; }

    // `thread` waits at a barrier, or in a warp operation.
    void arrive(unsigned thread) { arrival_[thread] = ++now_; }
    // All threads have arrived at the block's barrier, and none has gone on yet.
    void open_barrier() { barrier_ = now_; }
    // `thread` goes on after a warp operation with the lanes of `group`, itself among them.
    void leave_warp_operation(unsigned thread, LaneMask group) {
        if (!group_time_[thread]) give_time(thread, group);
        const uint32_t time = group_time_[thread];
        group_time_[thread] = 0;
        for (; group; group &= group - 1) synchronised_[thread].with[lowest_lane(group)] = time;
    }

    // `thread` of the block's `threads` arrives at a named barrier.
    void arrive_at(unsigned number, unsigned thread, unsigned threads) {
        add_known_times(at_named_[number], thread, threads);
    }
    // The barrier releases the threads of `waiting`; others may only have arrived.
    void open(unsigned number, const std::vector<uint16_t>& waiting, unsigned threads) {
        for (const uint16_t thread : waiting) raise(known_times_of(thread), at_named_[number].data(), threads);
        at_named_[number].clear();
    }

    // --- atomic operations, and accesses through volatile pointers, of `thread` of the block's `threads`
    // It reads the object: what was released to it is known at once, or, without `acquires`, after the next fence.
    void observe(uintptr_t object, unsigned thread, bool acquires, unsigned threads) {
        const auto released = at_object_.find(object);
        if (released == at_object_.end()) return;
        if (acquires) return raise(known_times_of(thread), released->second.data(), threads);
        Times& pending = times_of(before_fence_, thread);
        pending.resize(threads);
        raise(pending.data(), released->second.data(), threads);
    }
    // It writes the object: its accesses so far are released, or, without `releases`, those before its last fence. What
    // others have released stays where the write is a part of an operation that `reads` too.
    void publish(uintptr_t object, unsigned thread, bool releases, bool reads, unsigned threads) {
        if (!reads) at_object_.erase(object);
        if (releases) return add_known_times(at_object_[object], thread, threads);
        if (at_fence_.empty() || at_fence_[thread].empty()) return;
        Times& times = at_object_[object];
        times.resize(threads);
        raise(times.data(), at_fence_[thread].data(), threads);
    }
    void fence(unsigned thread, bool acquires, bool releases, unsigned threads) {
        if (acquires && !before_fence_.empty() && !before_fence_[thread].empty())
            raise(known_times_of(thread), before_fence_[thread].data(), threads);
        if (releases) add_known_times(times_of(at_fence_, thread), thread, threads);
    }

    // True if the access of `other` at `time` of this block is known to come before the current access of `thread`.
    bool ordered(uint32_t time, unsigned other, unsigned thread) const {
        if (other == thread || time < barrier_) return true;
        if (other >> warp_shift_ == thread >> warp_shift_ && time < synchronised_[thread].with[lane_of(other)])
            return true;
        return !known_times_.empty() && time < known_times_[size_t{thread} * kMaxThreadsPerBlock + other];
    }

private:
    static constexpr uint32_t kLatest = 1u << 31;

    struct Lanes {
        uint32_t with[CUDA_SHIM_MAX_WARP_SIZE] = {};
    };

    unsigned lane_of(unsigned thread) const { return thread & ((1u << warp_shift_) - 1); }

    // For each thread of the block, a time before which its accesses are known.
    using Times = std::vector<uint32_t>;

    uint32_t* known_times_of(unsigned thread) {
        if (known_times_.empty()) known_times_.resize(size_t{kMaxThreadsPerBlock} * kMaxThreadsPerBlock);
        return &known_times_[size_t{thread} * kMaxThreadsPerBlock];
    }
    static Times& times_of(std::vector<Times>& all, unsigned thread) {
        if (all.empty()) all.resize(kMaxThreadsPerBlock);
        return all[thread];
    }
    // Adds what `thread` knows, and its own accesses so far.
    void add_known_times(Times& times, unsigned thread, unsigned threads) {
        times.resize(threads);
        raise(times.data(), known_times_of(thread), threads);
        const unsigned first = thread - lane_of(thread);
        for (unsigned other = first; other < threads && other >> warp_shift_ == thread >> warp_shift_; other++)
            times[other] = std::max(times[other], synchronised_[thread].with[lane_of(other)]);
        times[thread] = ++now_;
    }
    static void raise(uint32_t* times, const uint32_t* others, unsigned count) {
        for (unsigned i = 0; i < count; i++) times[i] = std::max(times[i], others[i]);
    }

    // The first thread of a group that goes on reads when the last one arrived, before any of them arrives elsewhere.
    void give_time(unsigned thread, LaneMask group) {
        const unsigned first = thread - lane_of(thread);
        uint32_t last = 0;
        for (LaneMask rest = group; rest; rest &= rest - 1) {
            const uint32_t arrival = arrival_[first + lowest_lane(rest)];
            if (arrival > last) last = arrival;
        }
        for (LaneMask rest = group; rest; rest &= rest - 1) group_time_[first + lowest_lane(rest)] = last;
    }

    const unsigned warp_shift_;
    uint32_t now_ = 0;
    uint32_t start_ = 0;
    uint32_t barrier_ = 0;  // when the last barrier opened
    uint32_t arrival_[kMaxThreadsPerBlock] = {};
    uint32_t group_time_[kMaxThreadsPerBlock] = {};  // time of the operation that the thread has still to leave
    std::unique_ptr<Lanes[]> synchronised_;          // when each thread last met each lane of its warp
    // For each pair of threads, the time before which the first knows all accesses of the second by named barriers or
    // objects; empty until there are any.
    Times known_times_;
    Times at_named_[kNamedBarriers];                  // what each of them will tell the threads that it releases
    std::unordered_map<uintptr_t, Times> at_object_;  // what is released to it, by its address
    std::vector<Times> before_fence_, at_fence_;      // by thread: read from objects, and known, up to its last fence
};

}  // namespace cuda_shim
