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

    static constexpr uint32_t kEverybody = 0;
};

class NamedBarriers {
public:
    void start_block();
    // `thread`, which stands for `weight` threads where threads are counted.
    void arrive(const NamedArrival& arrival, unsigned thread, unsigned weight);
    // Different threads, since it last opened, and whether one is among them.
    unsigned came(unsigned number) const { return barriers_[number].different; }
    bool has_come(unsigned number, unsigned thread) const { return barriers_[number].came[thread]; }
    // Counted threads that have arrived since it last opened.
    uint32_t arrived(unsigned number) const { return barriers_[number].arrived; }
    // True if threads wait there for all that have not returned.
    bool waits_for_everybody(unsigned number) const { return barriers_[number].for_everybody; }
    // Releases the threads that wait there and returns them; the list is valid until the next call.
    const std::vector<uint16_t>& open(unsigned number);
    bool waits(unsigned thread) const { return waits_[thread]; }
    // The number of threads that passed a true predicate at the barrier that the thread waited at last.
    unsigned counted(unsigned thread) const { return counted_[thread]; }
    // Threads that wait at any of them.
    unsigned waiting() const { return waiting_; }

private:
    struct Barrier {
        uint32_t arrived = 0;   // threads, since it last opened
        uint32_t counting = 0;  // how many of them passed a true predicate
        bool for_everybody = false;
        std::vector<uint16_t> waiting;
        std::vector<bool> came;  // by thread
        unsigned different = 0;
    };

    std::array<Barrier, kNamedBarriers> barriers_;
    std::vector<uint16_t> opened_for_;
    bool used_ = false;  // by this block
    unsigned waiting_ = 0;
    bool waits_[kMaxThreadsPerBlock] = {};
    uint32_t counted_[kMaxThreadsPerBlock] = {};
};

}  // namespace cuda_shim
