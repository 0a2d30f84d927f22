// What memory checked kernels may touch. Who allocates it knows; the engine asks.
#pragma once
#include <cstdint>
#include <string>

namespace cuda_shim {

struct MemoryRange {
    uintptr_t base = 0;
    uint64_t bytes = 0;
    bool readable = true;
    bool writable = true;

    bool contains(uintptr_t address) const { return address - base < bytes; }
};

// From memory to an address that was most likely meant to be in it.
constexpr uint64_t kNearBytes = 4096;

struct MemoryLookup {
    // The range of device memory that holds `address`; false when none does.
    bool (*find)(uintptr_t address, MemoryRange& range);
    // Of an address in none: what lies next to it, or what lay there ("4 bytes behind the 400 bytes ...").
    std::string (*describe)(uintptr_t address);
};

// Called once, before the first kernel runs.
void set_memory_lookup(const MemoryLookup& lookup);
const MemoryLookup& memory_lookup();

// "4 bytes behind the 400 bytes of <what> at 0x...", "inside ..." or "... before": for MemoryLookup::describe.
std::string describe_distance(uintptr_t address, const MemoryRange& range, const std::string& what);
// How far `address` is from the range; 0 inside.
uint64_t distance_to(uintptr_t address, const MemoryRange& range);

}  // namespace cuda_shim
