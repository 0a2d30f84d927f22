#include "hip/memory_pool.h"

#include <unistd.h>

#include "hip/api.h"
#include "hip/device.h"
#include "hip/graph_memory.h"
#include "hip/handle_table.h"
#include "hip/host_memory.h"
#include "hip/stream.h"

namespace cuda_shim {

namespace {

PoolIdentity next_identity() {
    static std::atomic<uint32_t> next{1};
    return {static_cast<int32_t>(getpid()), next.fetch_add(1)};
}

}  // namespace

MemoryPool::MemoryPool(Device& device, const hipMemPoolProps* props)
    : ForkParticipant(ForkRank::Pool),
      device_(device),
      most_bytes_(props ? props->maxSize : 0),
      handle_types_(props ? props->handleTypes : hipMemHandleTypeNone),
      identity_(next_identity()) {
    access_[device.ordinal()] = hipMemAccessFlagsProtReadWrite;
    live_handles<MemoryPool>().add(this);
}

MemoryPool::MemoryPool(Device& device, const PoolIdentity& origin)
    : ForkParticipant(ForkRank::Pool), device_(device), imported_(true), identity_(origin) {
    access_[device.ordinal()] = hipMemAccessFlagsProtReadWrite;
    live_handles<MemoryPool>().add(this);
}

MemoryPool::~MemoryPool() {
    live_handles<MemoryPool>().remove(this);
    trim(0);
}

MemoryPool* MemoryPool::resolve(hipMemPool_t handle) {
    MemoryPool* pool = reinterpret_cast<MemoryPool*>(handle);
    return live_handles<MemoryPool>().contains(pool) ? pool : nullptr;
}

hipError_t MemoryPool::allocate(size_t bytes, void** out) {
    if (imported_) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(mutex_);
    // A block of up to twice the size is reused rather than asking the system anew.
    auto reusable = unused_.lower_bound(bytes);
    if (reusable != unused_.end() && reusable->first <= 2 * bytes) {
        Allocation allocation = reusable->second;
        unused_.erase(reusable);
        allocation.release_pending = false;
        allocation.size = bytes;
        *out = reinterpret_cast<void*>(allocation.base);
        usage_.used += bytes;
        MemoryRegistry::get().add(allocation);
    } else {
        if (most_bytes_ && usage_.reserved + bytes > most_bytes_) trim_locked(0);
        if (most_bytes_ && usage_.reserved + bytes > most_bytes_) return hipErrorOutOfMemory;
        hipError_t status = allocate_memory(device_, MemoryKind::Pool, bytes, 0, out, this);
        if (status == hipErrorOutOfMemory && !unused_.empty()) {
            trim_locked(0);
            status = allocate_memory(device_, MemoryKind::Pool, bytes, 0, out, this);
        }
        if (status != hipSuccess) return status;
        usage_.used += bytes;
        usage_.reserved += bytes;
    }
    usage_.used_high = std::max(usage_.used_high, usage_.used);
    usage_.reserved_high = std::max(usage_.reserved_high, usage_.reserved);
    return hipSuccess;
}

void MemoryPool::take_back(const Allocation& allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    usage_.used -= allocation.size;
    unused_.emplace(allocation.capacity, allocation);
    // Held until somebody waits for the device, as in CUDA: a loop that allocates and frees reuses its memory.
    if (usage_.reserved > release_threshold_) device_.note_surplus();
}

void MemoryPool::trim(size_t keep) {
    std::lock_guard<std::mutex> lock(mutex_);
    trim_locked(keep);
}

void MemoryPool::trim_to_threshold() {
    std::lock_guard<std::mutex> lock(mutex_);
    trim_locked(release_threshold_);
}

void MemoryPool::trim_locked(size_t keep) {
    while (usage_.reserved > keep && !unused_.empty()) {
        auto largest = std::prev(unused_.end());
        usage_.reserved -= largest->second.capacity;
        release_storage(largest->second);
        unused_.erase(largest);
    }
}

hipError_t MemoryPool::get_attribute(hipMemPoolAttr attribute, void* value) const {
    std::lock_guard<std::mutex> lock(mutex_);
    switch (attribute) {
        case hipMemPoolReuseFollowEventDependencies:
        case hipMemPoolReuseAllowOpportunistic:
        case hipMemPoolReuseAllowInternalDependencies:
            *static_cast<int*>(value) = reuse_flags_[attribute - hipMemPoolReuseFollowEventDependencies];
            return hipSuccess;
        case hipMemPoolAttrReleaseThreshold:
            *static_cast<uint64_t*>(value) = release_threshold_;
            return hipSuccess;
        case hipMemPoolAttrReservedMemCurrent:
            *static_cast<uint64_t*>(value) = usage_.reserved;
            return hipSuccess;
        case hipMemPoolAttrReservedMemHigh:
            *static_cast<uint64_t*>(value) = usage_.reserved_high;
            return hipSuccess;
        case hipMemPoolAttrUsedMemCurrent:
            *static_cast<uint64_t*>(value) = usage_.used;
            return hipSuccess;
        case hipMemPoolAttrUsedMemHigh:
            *static_cast<uint64_t*>(value) = usage_.used_high;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

hipError_t MemoryPool::set_attribute(hipMemPoolAttr attribute, const void* value) {
    std::lock_guard<std::mutex> lock(mutex_);
    switch (attribute) {
        case hipMemPoolReuseFollowEventDependencies:
        case hipMemPoolReuseAllowOpportunistic:
        case hipMemPoolReuseAllowInternalDependencies:
            reuse_flags_[attribute - hipMemPoolReuseFollowEventDependencies] = *static_cast<const int*>(value) != 0;
            return hipSuccess;
        case hipMemPoolAttrReleaseThreshold:
            release_threshold_ = *static_cast<const uint64_t*>(value);
            return hipSuccess;
        // The high marks can only be reset, to what is in use now.
        case hipMemPoolAttrReservedMemHigh:
            if (*static_cast<const uint64_t*>(value) != 0) return hipErrorInvalidValue;
            usage_.reserved_high = usage_.reserved;
            return hipSuccess;
        case hipMemPoolAttrUsedMemHigh:
            if (*static_cast<const uint64_t*>(value) != 0) return hipErrorInvalidValue;
            usage_.used_high = usage_.used;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

hipMemAccessFlags MemoryPool::access(int device) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = access_.find(device);
    return found == access_.end() ? hipMemAccessFlagsProtNone : found->second;
}

void MemoryPool::set_access(int device, hipMemAccessFlags flags) {
    std::lock_guard<std::mutex> lock(mutex_);
    access_[device] = flags;
}

MemoryPool::Usage MemoryPool::usage() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return usage_;
}

void MemoryPool::reset_high_marks() {
    std::lock_guard<std::mutex> lock(mutex_);
    usage_.used_high = usage_.used;
    usage_.reserved_high = usage_.reserved;
}

hipError_t FreeCommand::run(Device&) noexcept {
    Allocation allocation;
    if (!MemoryRegistry::get().find_base(base_, allocation)) return hipErrorInvalidValue;
    if (allocation.graph_block) return allocation.graph_block->end_use();
    if (!MemoryRegistry::get().remove(base_, &allocation)) return hipErrorInvalidValue;
    if (allocation.pool && live_handles<MemoryPool>().contains(allocation.pool)) {
        allocation.pool->take_back(allocation);
    } else {
        release_storage(allocation);
    }
    return hipSuccess;
}

hipError_t allocate_in_stream(void** out, size_t bytes, MemoryPool* pool, Stream& stream) {
    if (!out) return hipErrorInvalidValue;
    *out = nullptr;
    if (bytes == 0) return hipSuccess;
    if (hipError_t sticky = stream.device().sticky_error()) return sticky;
    if (!pool) {
        std::lock_guard<std::mutex> lock(stream.device().mutex());
        pool = stream.device().current_pool;
    }
    if (stream.capture()) return capture_allocation(stream, *pool, bytes, out);
    return pool->allocate(bytes, out);
}

hipError_t free_in_stream(void* base, Stream& stream) {
    if (!base) return hipErrorInvalidValue;
    if (stream.capture()) return capture_free(stream, base);
    bool valid = false;
    MemoryRegistry::get().update(base, [&](Allocation& allocation) {
        bool freeable = kind_bit(allocation.kind) & (kind_bit(MemoryKind::Pool) | kind_bit(MemoryKind::Imported) |
                                                     kind_bit(MemoryKind::Device) | kind_bit(MemoryKind::Managed));
        valid = freeable && !allocation.release_pending;
        if (allocation.graph_block) {
            valid = allocation.graph_block->in_use();
        } else if (valid) {
            allocation.release_pending = true;
        }
    });
    if (!valid) return hipErrorInvalidValue;
    return stream.submit(FreeCommand(base));
}

}  // namespace cuda_shim
