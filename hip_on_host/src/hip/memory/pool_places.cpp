#include "hip/memory/pool_places.h"

#include <string.h>
#include <unistd.h>

#include <string>

#include "hip/api.h"
#include "hip/contexts/device.h"

namespace cuda_shim {
namespace {

bool is_numa_node(int node) {
    if (node <= 0) return node == 0;
    return access(("/sys/devices/system/node/node" + std::to_string(node)).c_str(), F_OK) == 0;
}

}  // namespace

hipError_t check_pool_location(const hipMemLocation& location, hipMemAllocationType type) {
    bool managed = type == hipMemAllocationTypeManaged;
    if (!managed && type != hipMemAllocationTypePinned) return hipErrorInvalidValue;
    switch (location.type) {
        case hipMemLocationTypeDevice:
            return device_at(location.id) ? hipSuccess : hipErrorInvalidDevice;
        case hipMemLocationTypeHost:
            return hipSuccess;
        case hipMemLocationTypeHostNuma:
            return is_numa_node(location.id) ? hipSuccess : hipErrorInvalidValue;
        case hipMemLocationTypeNone:
            return managed ? hipSuccess : hipErrorInvalidValue;
        default:
            return hipErrorInvalidValue;
    }
}

PoolPlaces::Key PoolPlaces::key_of(const hipMemLocation& location, hipMemAllocationType type) {
    bool has_ordinal = location.type == hipMemLocationTypeDevice || location.type == hipMemLocationTypeHostNuma;
    return {type, location.type, has_ordinal ? location.id : 0};
}

MemoryPool& PoolPlaces::pool(const hipMemLocation& location, hipMemAllocationType type, bool by_default) {
    std::lock_guard<std::mutex> lock(mutex_);
    Pools& pools = pools_[key_of(location, type)];
    if (!pools.own) {
        hipMemPoolProps props;
        memset(static_cast<void*>(&props), 0, sizeof props);
        props.allocType = type;
        props.location = location;
        bool of_device = location.type == hipMemLocationTypeDevice;
        pools.own = std::make_unique<MemoryPool>(*device_at(of_device ? location.id : 0), &props);
        if (!pools.current) pools.current = pools.own.get();
    }
    return by_default ? *pools.own : *pools.current;
}

hipError_t PoolPlaces::set_current(const hipMemLocation& location, hipMemAllocationType type, MemoryPool& pool) {
    if (key_of(location, type) != key_of(pool.location(), pool.type())) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(mutex_);
    pools_[key_of(location, type)].current = &pool;
    return hipSuccess;
}

bool PoolPlaces::is_default(const MemoryPool& pool) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, pools] : pools_) {
        if (pools.own.get() == &pool) return true;
    }
    return false;
}

void PoolPlaces::forget(const MemoryPool& pool) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [key, pools] : pools_) {
        if (pools.current == &pool) pools.current = pools.own.get();
    }
}

// Never destroyed, as the handles are not: a program may use pools while it exits.
PoolPlaces& pool_places() {
    static auto* const places = new PoolPlaces;
    return *places;
}

}  // namespace cuda_shim
