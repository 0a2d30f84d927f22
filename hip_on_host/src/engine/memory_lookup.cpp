#include "engine/memory_lookup.h"

#include <stdio.h>

#include <atomic>

namespace cuda_shim {
namespace {

bool find_nothing(uintptr_t, MemoryRange&) { return false; }
void consider_nothing(NearestMemory&) {}

// 0 inside, 1 right next to it.
uint64_t distance_to(uintptr_t address, const MemoryRange& range) {
    if (address < range.base) return range.base - address;
    const uintptr_t end = range.base + range.bytes;
    return address < end ? 0 : address - end + 1;
}

constexpr MemoryLookup kNoMemory = {find_nothing, consider_nothing};
std::atomic<const MemoryLookup*> current_lookup{&kNoMemory};

}  // namespace

void set_memory_lookup(const MemoryLookup& lookup) { current_lookup.store(&lookup, std::memory_order_release); }

const MemoryLookup& memory_lookup() { return *current_lookup.load(std::memory_order_acquire); }

void NearestMemory::consider(const MemoryRange& range, const std::string& what, uint64_t within) {
    const uint64_t distance = distance_to(address_, range);
    if (range.bytes == 0 || distance >= distance_ || distance >= within) return;
    distance_ = distance;
    range_ = range;
    what_ = what;
}

std::string hexadecimal(uint64_t address) {
    char text[24];
    snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::string NearestMemory::describe() const {
    if (range_.bytes == 0) return "";
    const std::string of = std::to_string(range_.bytes) + " bytes of " + what_ + " at " + hexadecimal(range_.base);
    if (address_ < range_.base) return std::to_string(range_.base - address_) + " bytes before the " + of;
    if (range_.contains(address_)) return std::to_string(address_ - range_.base) + " bytes into the " + of;
    const uint64_t behind = address_ - range_.base - range_.bytes;
    return (behind ? std::to_string(behind) + " bytes" : "right") + " behind the " + of;
}

}  // namespace cuda_shim
