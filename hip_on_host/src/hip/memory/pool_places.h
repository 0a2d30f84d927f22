// The pools of places that are no device's own memory: the host, its NUMA nodes, and managed memory with or without a
// place that it prefers. Each has a pool of its own, made when it is first asked for, and one that is current.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "hip/memory/memory_pool.h"

namespace cuda_shim {

// Checks that there can be a pool of this memory: hipErrorInvalidValue, hipErrorInvalidDevice.
hipError_t check_pool_location(const hipMemLocation& location, hipMemAllocationType type);

class PoolPlaces final : public ForkParticipant {
public:
    PoolPlaces() : ForkParticipant(ForkRank::PoolPlaces) {}

    // The current pool of a place that `check_pool_location` allows, or the place's own one.
    MemoryPool& pool(const hipMemLocation& location, hipMemAllocationType type, bool by_default);
    // hipErrorInvalidValue for a pool of another place.
    hipError_t set_current(const hipMemLocation& location, hipMemAllocationType type, MemoryPool& pool);
    bool is_default(const MemoryPool& pool);
    // A pool that is being destroyed is current nowhere from now on.
    void forget(const MemoryPool& pool);

    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    void after_fork_in_child() override { mutex_.unlock(); }

private:
    using Key = std::tuple<hipMemAllocationType, hipMemLocationType, int>;
    struct Pools {
        std::unique_ptr<MemoryPool> own;
        MemoryPool* current = nullptr;
    };
    static Key key_of(const hipMemLocation& location, hipMemAllocationType type);

    std::mutex mutex_;
    std::map<Key, Pools> pools_;
};

PoolPlaces& pool_places();

}  // namespace cuda_shim
