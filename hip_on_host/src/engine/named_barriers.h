// A block's named barriers, which have a number and a count of threads (PTX's `bar.sync 1, 64`). Threads may arrive
// without waiting. A barrier opens when as many threads have arrived as the last one counts, and is then reset at once:
// the results for the waiting threads are kept by thread.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/kernel.h"

namespace cuda_shim {

constexpr unsigned kNamedBarriers = 16;

struct NamedArrival {
    uint32_t number;
    uint32_t count;  // number of threads; kEverybody: all that have not returned
    bool waits;
    bool predicate;

    static constexpr uint32_t kAllThreads = 0;
};

class NamedBarriers {
public:
    void start_block();
    // `thread`, which stands for `weight` threads where threads are counted.
    void arrive(const NamedArrival& arrival, unsigned thread, unsigned weight);
    // Different threads, since it last opened, and whether one is among them.
    unsigned arrived_threads(unsigned number) const { return barriers_[number].distinct_threads; }
    bool has_arrived(unsigned number, unsigned thread) const { return barriers_[number].arrived_threads[thread]; }
    // Counted threads that have arrived since it last opened.
    uint32_t arrived(unsigned number) const { return barriers_[number].arrived; }
    // True if threads wait there for all that have not returned.
    bool waits_for_all(unsigned number) const { return barriers_[number].for_all; }
    // Releases the threads that wait there and returns them; the list is valid until the next call.
    const std::vector<uint16_t>& open(unsigned number);
    bool waits(unsigned thread) const { return waits_[thread]; }
    // The number of threads that passed a true predicate at the barrier that the thread waited at last.
    unsigned predicate_count(unsigned thread) const { return predicate_counts_[thread]; }
    // Threads that wait at any of them.
    unsigned waiting() const { return waiting_; }

private:
    struct Barrier {
        uint32_t arrived = 0;          // threads, since it last opened
        uint32_t true_predicates = 0;  // how many of them passed a true predicate
        bool for_all = false;
        std::vector<uint16_t> waiting;
        std::vector<bool> arrived_threads;  // by thread
        unsigned distinct_threads = 0;
    };

    std::array<Barrier, kNamedBarriers> barriers_;
    std::vector<uint16_t> released_;
    bool used_ = false;  // by this block
    unsigned waiting_ = 0;
    bool waits_[kMaxThreadsPerBlock] = {};
    uint32_t predicate_counts_[kMaxThreadsPerBlock] = {};
};

}  // namespace cuda_shim
