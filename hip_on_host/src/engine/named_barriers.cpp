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
    barrier.true_predicates += arrival.predicate;
    if (barrier.arrived_threads.empty()) barrier.arrived_threads.resize(kMaxThreadsPerBlock);
    barrier.distinct_threads += !barrier.arrived_threads[thread];
    barrier.arrived_threads[thread] = true;
    if (!arrival.waits) return;
    barrier.for_all = arrival.count == NamedArrival::kAllThreads;
    barrier.waiting.push_back(static_cast<uint16_t>(thread));
    waits_[thread] = true;
    waiting_++;
}

const std::vector<uint16_t>& NamedBarriers::open(unsigned number) {
    Barrier& barrier = barriers_[number];
    released_.swap(barrier.waiting);
    for (const uint16_t thread : released_) {
        waits_[thread] = false;
        predicate_counts_[thread] = barrier.true_predicates;
    }
    waiting_ -= static_cast<unsigned>(released_.size());
    barrier.waiting.clear();
    barrier.arrived = barrier.true_predicates = barrier.distinct_threads = 0;
    barrier.for_all = false;
    std::fill(barrier.arrived_threads.begin(), barrier.arrived_threads.end(), false);
    return released_;
}

}  // namespace cuda_shim
