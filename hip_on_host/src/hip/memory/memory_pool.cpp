#include "hip/memory/memory_pool.h"

#include <unistd.h>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph_memory.h"
#include "hip/handle_table.h"
#include "hip/memory/host_memory.h"
#include "hip/memory/kernel_memory.h"
#include "hip/rocm.h"
#include "hip/streams/stream.h"
#include "hip/values.h"

namespace cuda_shim {

namespace {

constexpr uint64_t kUnderWay = ~uint64_t{0};  // a release that can no longer be taken back

PoolIdentity next_identity() {
    static std::atomic<uint32_t> next{1};
    return {static_cast<int32_t>(getpid()), next.fetch_add(1)};
}

// A block of up to twice the size is reused before the system is asked for another, and a small one for anything
// smaller.
bool suits(size_t capacity, size_t bytes) {
    constexpr size_t small = size_t{1} << 20;
    return capacity >= bytes && (capacity <= small || capacity / 2 <= bytes);
}

PoolPlace place_of(const hipMemPoolProps* props) {
    if (!props) return PoolPlace::Device;
    if (props->allocType == hipMemAllocationTypeManaged) return PoolPlace::Managed;
    return props->location.type == hipMemLocationTypeDevice ? PoolPlace::Device : PoolPlace::Host;
}

}  // namespace

MemoryPool::MemoryPool(Device& device, const hipMemPoolProps* props)
    : ForkParticipant(ForkRank::Pool),
      device_(device),
      type_(props ? props->allocType : hipMemAllocationTypePinned),
      location_(props ? props->location : hipMemLocation{hipMemLocationTypeDevice, device.ordinal()}),
      place_(place_of(props)),
      max_bytes_(props ? props->maxSize : 0),
      handle_types_(props ? props->handleTypes : hipMemHandleTypeNone),
      identity_(next_identity()) {
    // A pool on the host is open to devices once the program allows it; managed memory is open to all.
    if (place_ == PoolPlace::Device) access_[device.ordinal()] = hipMemAccessFlagsProtReadWrite;
    if (place_ != PoolPlace::Device) access_[hipCpuDeviceId] = hipMemAccessFlagsProtReadWrite;
    live_handles<MemoryPool>().add(this);
}

MemoryPool::MemoryPool(Device& device, const PoolIdentity& origin, PoolPlace place)
    : ForkParticipant(ForkRank::Pool),
      device_(device),
      location_{place == PoolPlace::Device ? hipMemLocationTypeDevice : hipMemLocationTypeHostNuma, 0},
      place_(place),
      imported_(true),
      identity_(origin) {
    access_[place == PoolPlace::Device ? device.ordinal() : hipCpuDeviceId] = hipMemAccessFlagsProtReadWrite;
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

hipError_t MemoryPool::allocate(size_t bytes, void** out, const StreamQueue* queue) {
    if (imported_) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(mutex_);
    bool reused = (queue && reuse_offered(bytes, queue, out)) || reuse_unused(bytes, out);
    if (!reused) CUDA_SHIM_TRY(allocate_anew(bytes, out));
    usage_.used_high = std::max(usage_.used_high, usage_.used);
    usage_.reserved_high = std::max(usage_.reserved_high, usage_.reserved);
    return hipSuccess;
}

bool MemoryPool::reuse_offered(size_t bytes, const StreamQueue* queue, void** out) {
    auto best = offers_.end();
    for (auto offer = offers_.begin(); offer != offers_.end(); ++offer) {
        if (offer->second.queue != queue || !suits(offer->second.capacity, bytes)) continue;
        if (best == offers_.end() || offer->second.capacity < best->second.capacity) best = offer;
    }
    if (best == offers_.end()) return false;
    bool is_reused = false;
    MemoryRegistry::get().renew(best->second.base, [&](Allocation& allocation) {
        is_reused = allocation.release == best->first;  // else the freeing has begun
        if (!is_reused) return false;
        usage_.used += bytes - allocation.size;
        allocation.size = bytes;
        allocation.call = current_call.place;
        note_fresh_memory(allocation);
        allocation.release = 0;
        allocation.release_pending = false;
        return true;
    });
    if (is_reused) *out = best->second.base;
    offers_.erase(best);
    return is_reused;
}

bool MemoryPool::reuse_unused(size_t bytes, void** out) {
    auto reusable = unused_.lower_bound(bytes);
    if (reusable == unused_.end() || !suits(reusable->first, bytes)) return false;
    Allocation allocation = reusable->second;
    unused_.erase(reusable);
    allocation.size = bytes;
    allocation.call = current_call.place;
    note_fresh_memory(allocation);
    *out = reinterpret_cast<void*>(allocation.base);
    usage_.used += bytes;
    MemoryRegistry::get().add(allocation);
    return true;
}

hipError_t MemoryPool::allocate_anew(size_t bytes, void** out) {
    if (max_bytes_ && usage_.reserved + bytes > max_bytes_) trim_locked(0);
    if (max_bytes_ && usage_.reserved + bytes > max_bytes_) return hipErrorOutOfMemory;
    hipError_t status = allocate_memory(device_, MemoryKind::Pool, bytes, 0, out, this);
    if (status == hipErrorOutOfMemory && !unused_.empty()) {
        trim_locked(0);
        status = allocate_memory(device_, MemoryKind::Pool, bytes, 0, out, this);
    }
    if (status != hipSuccess) return status;
    usage_.used += bytes;
    usage_.reserved += bytes;
    return hipSuccess;
}

void MemoryPool::offer(uint64_t release, const Allocation& allocation, const StreamQueue* queue) {
    std::lock_guard<std::mutex> lock(mutex_);
    offers_[release] = {queue, reinterpret_cast<void*>(allocation.base), allocation.capacity};
}

void MemoryPool::withdraw_offer(uint64_t release) {
    std::lock_guard<std::mutex> lock(mutex_);
    offers_.erase(release);
}

void MemoryPool::take_back(const Allocation& allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    usage_.used -= allocation.size;
    Allocation unused = allocation;
    unused.release_pending = false;
    unused.release = 0;
    unused_.emplace(unused.capacity, unused);
    // Held until a thread waits for the device, as in CUDA: a loop that allocates and frees reuses its memory.
    if (usage_.reserved > release_threshold_) device_.note_surplus();
}

void MemoryPool::trim(size_t keep) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (as_rocm(RocmDifference::TrimsOfUnusedMemory)) return trim_unused(keep);
    trim_locked(keep);
}

void MemoryPool::trim_unused(size_t most) {
    size_t unused = 0;
    for (const auto& block : unused_) unused += block.second.capacity;
    while (unused > most) {
        unused -= unused_.begin()->second.capacity;
        release_unused(unused_.begin());
    }
}

void MemoryPool::trim_to_threshold() {
    std::lock_guard<std::mutex> lock(mutex_);
    while (usage_.reserved > release_threshold_ && !unused_.empty()) release_unused(std::prev(unused_.end()));
}

void MemoryPool::trim_locked(size_t keep) {
    while (usage_.reserved > keep) {
        // The largest block without which enough stays reserved.
        auto beyond = unused_.upper_bound(usage_.reserved - keep);
        if (beyond == unused_.begin()) return;
        release_unused(std::prev(beyond));
    }
}

void MemoryPool::release_unused(std::multimap<size_t, Allocation>::iterator block) {
    usage_.reserved -= block->second.capacity;
    release_storage(block->second);
    unused_.erase(block);
}

hipError_t MemoryPool::get_attribute(hipMemPoolAttr attribute, void* value) const {
    std::lock_guard<std::mutex> lock(mutex_);
    switch (attribute) {
        case hipMemPoolReuseFollowEventDependencies:
        case hipMemPoolReuseAllowOpportunistic:
        case hipMemPoolReuseAllowInternalDependencies:
            return answer<int>(value, reuse_flags_[attribute - hipMemPoolReuseFollowEventDependencies]);
        case hipMemPoolAttrReleaseThreshold:
            return answer<uint64_t>(value, release_threshold_);
        case hipMemPoolAttrReservedMemCurrent:
            return answer<uint64_t>(value, usage_.reserved);
        case hipMemPoolAttrReservedMemHigh:
            return answer<uint64_t>(value, usage_.reserved_high);
        case hipMemPoolAttrUsedMemCurrent:
            return answer<uint64_t>(value, usage_.used);
        case hipMemPoolAttrUsedMemHigh:
            return answer<uint64_t>(value, usage_.used_high);
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
            reuse_flags_[attribute - hipMemPoolReuseFollowEventDependencies] = value_at<int>(value) != 0;
            return hipSuccess;
        case hipMemPoolAttrReleaseThreshold:
            release_threshold_ = value_at<uint64_t>(value);
            return hipSuccess;
        // The high marks can only be reset, to the amount in use now.
        case hipMemPoolAttrReservedMemHigh:
            if (value_at<uint64_t>(value) != 0) return hipErrorInvalidValue;
            usage_.reserved_high = usage_.reserved;
            return hipSuccess;
        case hipMemPoolAttrUsedMemHigh:
            if (value_at<uint64_t>(value) != 0) return hipErrorInvalidValue;
            usage_.used_high = usage_.used;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

hipMemAccessFlags MemoryPool::access(int device) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto entry = access_.find(device);
    if (entry != access_.end()) return entry->second;
    return place_ == PoolPlace::Managed ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone;
}

void MemoryPool::set_access(int device, hipMemAccessFlags flags) {
    std::lock_guard<std::mutex> lock(mutex_);
    access_[device] = flags;
}

hipError_t FreeCommand::execute(Device&) {
    bool given_out_anew = false;
    Allocation allocation;
    bool is_registered = MemoryRegistry::get().update(base_, [&](Allocation& entry) {
        given_out_anew = entry.release != release_;
        if (!given_out_anew && !entry.graph_block) entry.release = kUnderWay;
        allocation = entry;
    });
    if (release_ && (!is_registered || given_out_anew)) return hipSuccess;  // by this stream's own next allocation
    if (!is_registered || given_out_anew) return hipErrorInvalidValue;
    if (allocation.graph_block) return allocation.graph_block->end_use();
    if (!MemoryRegistry::get().remove(base_, &allocation)) return hipErrorInvalidValue;
    if (allocation.pool && live_handles<MemoryPool>().contains(allocation.pool)) {
        if (release_) allocation.pool->withdraw_offer(release_);
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
    return pool->allocate(bytes, out, stream.queue().get());
}

hipError_t free_in_stream(void* base, Stream& stream) {
    if (!base) return hipErrorInvalidValue;
    if (stream.capture()) return capture_free(stream, base);
    static std::atomic<uint64_t> next_release{1};
    bool valid = false;
    Allocation freed;
    MemoryRegistry::get().update(base, [&](Allocation& allocation) {
        bool freeable = kind_bit(allocation.kind) & (kind_bit(MemoryKind::Pool) | kind_bit(MemoryKind::Imported) |
                                                     kind_bit(MemoryKind::Device) | kind_bit(MemoryKind::Managed));
        valid = freeable && !allocation.release_pending;
        if (allocation.graph_block) {
            valid = allocation.graph_block->in_use();
        } else if (valid) {
            allocation.release_pending = true;
            allocation.release = next_release.fetch_add(1);
        }
        freed = allocation;
    });
    if (!valid) return hipErrorInvalidValue;
    bool reusable = freed.kind == MemoryKind::Pool && freed.pool && !freed.graph_block;
    if (reusable) freed.pool->offer(freed.release, freed, stream.queue().get());
    hipError_t status = stream.submit(FreeCommand(base, freed.release));
    if (status != hipSuccess && reusable) freed.pool->withdraw_offer(freed.release);
    return status;
}

}  // namespace cuda_shim
