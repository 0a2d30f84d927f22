#include "hip/kernel_memory.h"

#include <unistd.h>

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "common/settings.h"
#include "engine/memory_lookup.h"

namespace cuda_shim {
namespace {

constexpr uint64_t kNearBytes = 1u << 20;
constexpr size_t kMostFreedBytes = 256u << 20;

struct FreedStorage {
    std::mutex mutex;
    std::deque<Allocation> kept;  // the oldest first
    size_t bytes = 0;
};

FreedStorage& freed_storage() {
    static auto* const freed = new FreedStorage;
    return *freed;
}

MemoryRange range_of(const Allocation& allocation) {
    const bool usable = !allocation.release_pending;
    return {allocation.base, allocation.size, allocation.readable && usable, allocation.writable && usable};
}

const char* describe_kind(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::Host:
            return "pinned host memory";
        case MemoryKind::Registered:
            return "registered host memory";
        case MemoryKind::Managed:
            return "managed memory";
        case MemoryKind::Array:
            return "an array's memory";
        case MemoryKind::Symbol:
            return "a module's variable";
        default:
            return "device memory";
    }
}

bool find(uintptr_t address, MemoryRange& range) {
    Allocation allocation;
    if (!MemoryRegistry::get().find(reinterpret_cast<const void*>(address), allocation)) return false;
    range = range_of(allocation);
    return true;
}

void consider_all(NearestMemory& nearest) {
    auto consider = [&](const Allocation& allocation, const std::string& state) {
        nearest.consider(range_of(allocation), state + describe_kind(allocation.kind), kNearBytes);
    };
    {
        std::lock_guard<std::mutex> lock(freed_storage().mutex);
        for (const Allocation& allocation : freed_storage().kept) consider(allocation, "freed ");
    }
    MemoryRegistry::get().for_each([&](const Allocation& allocation) { consider(allocation, ""); });
}

}  // namespace

void offer_memory_to_checks() {
    static const MemoryLookup lookup = {find, consider_all};
    set_memory_lookup(lookup);
}

size_t guard_bytes() { return settings().check ? static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0; }

bool keep_freed_storage(const Allocation& allocation, void (*release)(const Allocation&)) {
    if (!settings().check) return false;
    std::vector<Allocation> to_release;
    {
        FreedStorage& freed = freed_storage();
        std::lock_guard<std::mutex> lock(freed.mutex);
        freed.kept.push_back(allocation);
        freed.bytes += allocation.capacity;
        while (freed.bytes > kMostFreedBytes) {
            freed.bytes -= freed.kept.front().capacity;
            to_release.push_back(freed.kept.front());
            freed.kept.pop_front();
        }
    }
    for (const Allocation& oldest : to_release) release(oldest);
    return true;
}

}  // namespace cuda_shim
