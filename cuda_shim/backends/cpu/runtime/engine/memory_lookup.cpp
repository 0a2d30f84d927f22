#include "engine/memory_lookup.h"

#include <stdio.h>

#include <atomic>

namespace cuda_shim {
namespace {

bool find_nothing(uintptr_t, MemoryRange&) { return false; }
std::string describe_nothing(uintptr_t) { return ""; }

constexpr MemoryLookup kNoMemory = {find_nothing, describe_nothing};
std::atomic<const MemoryLookup*> current_lookup{&kNoMemory};

}  // namespace

void set_memory_lookup(const MemoryLookup& lookup) { current_lookup.store(&lookup, std::memory_order_release); }

const MemoryLookup& memory_lookup() { return *current_lookup.load(std::memory_order_acquire); }

uint64_t distance_to(uintptr_t address, const MemoryRange& range) {
    if (address < range.base) return range.base - address;
    const uintptr_t end = range.base + range.bytes;
    return address < end ? 0 : address - end + 1;
}

std::string describe_distance(uintptr_t address, const MemoryRange& range, const std::string& what) {
    char base[24];
    snprintf(base, sizeof base, "0x%zx", static_cast<size_t>(range.base));
    const std::string of = std::to_string(range.bytes) + " bytes of " + what + " at " + base;
    if (address < range.base) return std::to_string(range.base - address) + " bytes before the " + of;
    if (range.contains(address)) return std::to_string(address - range.base) + " bytes into the " + of;
    const uint64_t behind = address - range.base - range.bytes;
    return (behind ? std::to_string(behind) + " bytes" : "right") + " behind the " + of;
}

}  // namespace cuda_shim
