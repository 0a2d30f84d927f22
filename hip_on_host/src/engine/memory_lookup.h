// The memory that checked kernels may touch. The code that allocates it answers the engine's look-ups.
#pragma once
#include <cstdint>
#include <string>

namespace cuda_shim {

struct MemoryRange {
    uintptr_t base = 0;
    uint64_t bytes = 0;
    bool readable = true;
    bool writable = true;
    bool global = false;  // all threads of a launch see it, and may write it

    bool contains(uintptr_t address) const { return address - base < bytes; }
};

// The considered memory that is nearest to an address, the first one of equally near ranges.
class NearestMemory {
public:
    explicit NearestMemory(uintptr_t address) : address_(address) {}
    uintptr_t address() const { return address_; }
    // Memory that is further away than `within` bytes was hardly meant.
    void consider(const MemoryRange& range, const std::string& what, uint64_t within = 4096);
    // "4 bytes behind the 400 bytes of <memory> at 0x...", "... into ..." or "... before ..."; empty when none is near.
    std::string describe() const;

private:
    uintptr_t address_;
    uint64_t distance_ = UINT64_MAX;
    MemoryRange range_;
    std::string what_;
};

// An address, or a mask, as messages have it: "0x7f00".
std::string hexadecimal(uint64_t address);

struct MemoryLookup {
    // The range of device memory that holds `address`; false when none does.
    bool (*find)(uintptr_t address, MemoryRange& range);
    // Considers all device memory, and memory that was freed not long ago.
    void (*consider)(NearestMemory& nearest);
};

// Called once, before the first kernel runs.
void set_memory_lookup(const MemoryLookup& lookup);
const MemoryLookup& memory_lookup();

}  // namespace cuda_shim
