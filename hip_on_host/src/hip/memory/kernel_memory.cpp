#include "hip/memory/kernel_memory.h"

#include <unistd.h>

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/log.h"
#include "common/settings.h"
#include "engine/findings.h"
#include "engine/global_shadow.h"
#include "engine/memory_lookup.h"
#include "engine/program_call.h"

namespace cuda_shim {
namespace {

constexpr uint64_t kNearBytes = 1u << 20;
constexpr size_t kMaxFreedBytes = 256u << 20;

struct FreedStorage {
    std::mutex mutex;
    std::deque<Allocation> storage;  // the oldest first
    size_t bytes = 0;
};

FreedStorage& freed_storage() {
    static auto* const freed = new FreedStorage;
    return *freed;
}

MemoryRange range_of(const Allocation& allocation) {
    const bool usable = !allocation.release_pending;
    const bool global = allocation.kind != MemoryKind::Array;
    return {allocation.base, allocation.size, allocation.readable && usable, allocation.writable && usable, global};
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
        for (const Allocation& allocation : freed_storage().storage) consider(allocation, "freed ");
    }
    MemoryRegistry::get().for_each([&](const Allocation& allocation) { consider(allocation, ""); });
}

}  // namespace

void offer_memory_to_checks() {
    static const MemoryLookup lookup = {find, consider_all};
    set_memory_lookup(lookup);
}

void note_fresh_memory(const Allocation& allocation) {
    if (!settings().check) return;
    const void* memory = reinterpret_cast<const void*>(allocation.base);
    const bool hosts_write =
        allocation.host_visible() || (allocation.kind != MemoryKind::Device && allocation.kind != MemoryKind::Pool);
    hosts_write ? note_write(memory, allocation.size) : forget_writes(memory, allocation.size);
}

// All that one call allocated, and did not free, is one finding.
void tell_leaks() {
    if (!settings().check_leaks) return;
    struct Leak {
        size_t pieces = 0, bytes = 0;
    };
    std::map<std::tuple<uint32_t, int, MemoryKind>, Leak> leaks;
    MemoryRegistry::get().for_each([&](const Allocation& allocation) {
        const bool given_out = allocation.kind <= MemoryKind::Array && allocation.kind != MemoryKind::Registered;
        if (!given_out || allocation.release_pending || allocation.graph_block) return;
        Leak& leak = leaks[{allocation.call, allocation.device, allocation.kind}];
        leak.pieces++;
        leak.bytes += allocation.size;
    });
    for (const auto& [which, leak] : leaks) {
        const auto& [call, device, kind] = which;
        Finding finding;
        finding.kind = "leak";
        finding.message = "leak: " + std::to_string(leak.bytes) + " bytes of " + describe_kind(kind) +
                          (leak.pieces > 1 ? " in " + std::to_string(leak.pieces) + " pieces" : "") +
                          " were never freed";
        finding.bytes = leak.bytes;
        finding.call = call;
        finding.device = device;
        const std::string where = describe_call(call);
        log(LogLevel::Error, "%s%s%s", finding.message.c_str(), where.empty() ? "" : "; allocated at ", where.c_str());
        report_finding(finding);
    }
}

size_t guard_bytes() { return settings().check ? static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0; }

bool keep_freed_storage(const Allocation& allocation, void (*release)(const Allocation&)) {
    if (!settings().check) return false;
    std::vector<Allocation> to_release;
    {
        FreedStorage& freed = freed_storage();
        std::lock_guard<std::mutex> lock(freed.mutex);
        freed.storage.push_back(allocation);
        freed.bytes += allocation.capacity;
        while (freed.bytes > kMaxFreedBytes) {
            freed.bytes -= freed.storage.front().capacity;
            to_release.push_back(freed.storage.front());
            freed.storage.pop_front();
        }
    }
    for (const Allocation& oldest : to_release) release(oldest);
    return true;
}

}  // namespace cuda_shim
