#include "hip/memory/peer_access.h"

#include "hip/contexts/device.h"
#include "hip/memory/memory_pool.h"
#include "hip/memory/memory_registry.h"
#include "hip/memory/virtual_memory.h"

namespace cuda_shim {
namespace {

bool pool_allows(const Allocation& allocation, int device) {
    // A pool that was destroyed gives no more rights to memory that it gave out.
    const MemoryPool* pool = MemoryPool::resolve(reinterpret_cast<hipMemPool_t>(allocation.pool));
    return pool && pool->access(device) == hipMemAccessFlagsProtReadWrite;
}

bool mapping_allows(const Allocation& allocation, int device) {
    unsigned long long flags = 0;
    const hipMemLocation location = {hipMemLocationTypeDevice, device};
    return get_access(reinterpret_cast<void*>(allocation.base), location, flags) == hipSuccess &&
           flags == hipMemAccessFlagsProtReadWrite;
}

bool is_peer(Device& device, int other) {
    std::lock_guard<std::mutex> lock(device.mutex());
    return device.state().peers.count(other) != 0;
}

}  // namespace

bool may_write(Device& device, const Allocation& allocation) {
    if (allocation.host_visible()) return true;
    if (allocation.kind == MemoryKind::Virtual) return mapping_allows(allocation, device.ordinal());
    if (allocation.device == device.ordinal()) return true;
    if (allocation.kind == MemoryKind::Symbol) return false;
    if (allocation.kind == MemoryKind::Pool) return pool_allows(allocation, device.ordinal());
    return is_peer(device, allocation.device);
}

}  // namespace cuda_shim
