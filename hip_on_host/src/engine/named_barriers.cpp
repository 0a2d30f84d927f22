#include "engine/named_barriers.h"

#include <algorithm>

namespace cuda_shim {

// Discards the state that an earlier block left behind.
void NamedBarriers::start_block() {
    if (!used_) return;
    used_ = false;
    waiting_ = 0;
    std::fill(std::begin(waits_), std::end(waits_), false);
    barriers_.fill({});
}

void NamedBarriers::arrive(const NamedArrival& arrival, unsigned thread, unsigned weight) {
    used_ = true;
    Barrier& barrier = barriers_[arrival.number];
    barrier.arrived += weight;
    barrier.counting += arrival.predicate;
    if (barrier.came.empty()) barrier.came.resize(kMaxThreadsPerBlock);
    barrier.different += !barrier.came[thread];
    barrier.came[thread] = true;
    if (!arrival.waits) return;
    barrier.for_everybody = arrival.count == NamedArrival::kEverybody;
    barrier.waiting.push_back(static_cast<uint16_t>(thread));
    waits_[thread] = true;
    waiting_++;
}

const std::vector<uint16_t>& NamedBarriers::open(unsigned number) {
    Barrier& barrier = barriers_[number];
    opened_for_.swap(barrier.waiting);
    for (const uint16_t thread : opened_for_) {
        waits_[thread] = false;
        counted_[thread] = barrier.counting;
    }
    waiting_ -= static_cast<unsigned>(opened_for_.size());
    barrier.waiting.clear();
    barrier.arrived = barrier.counting = barrier.different = 0;
    barrier.for_everybody = false;
    std::fill(barrier.came.begin(), barrier.came.end(), false);
    return opened_for_;
}

}  // namespace cuda_shim
