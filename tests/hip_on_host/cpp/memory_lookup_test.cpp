// The memory that an address outside of all memory was most likely meant for.
#include "check.h"
#include "engine/device_heap.h"
#include "engine/memory_lookup.h"

using cuda_shim::MemoryRange;
using cuda_shim::NearestMemory;

CASE(the_nearest_memory_is_named_whatever_is_asked_first) {
    const MemoryRange far{0x1000, 4}, near{0x1800, 16};
    for (const bool far_first : {true, false}) {
        NearestMemory nearest(0x1810);
        for (const bool now_far : {far_first, !far_first}) {
            nearest.consider(now_far ? far : near, now_far ? "far memory" : "near memory");
        }
        CHECK(nearest.describe() == "right behind the 16 bytes of near memory at 0x1800");
    }
}

CASE(memory_is_named_on_either_side_and_around) {
    const auto described = [](uintptr_t address) {
        NearestMemory nearest(address);
        nearest.consider({0x1000, 64}, "memory");
        return nearest.describe();
    };
    CHECK(described(0xffc) == "4 bytes before the 64 bytes of memory at 0x1000");
    CHECK(described(0x1008) == "8 bytes into the 64 bytes of memory at 0x1000");
    CHECK(described(0x1042) == "2 bytes behind the 64 bytes of memory at 0x1000");
}

CASE(memory_that_is_far_away_or_empty_is_not_named) {
    NearestMemory nearest(0x100000);
    nearest.consider({0x1000, 64}, "memory");
    nearest.consider({0x100000, 0}, "nothing");
    CHECK(nearest.describe().empty());
    nearest.consider({0x1000, 64}, "memory", 1u << 20);
    CHECK(!nearest.describe().empty());
}

CASE(allocations_of_the_heap_are_named_on_either_side) {
    char* const memory = static_cast<char*>(cuda_shim::checked_device_malloc(16));
    for (const ptrdiff_t offset : {-4, 16}) {
        NearestMemory nearest(reinterpret_cast<uintptr_t>(memory) + static_cast<uintptr_t>(offset));
        cuda_shim::consider_device_heap(nearest);
        const std::string side = offset < 0 ? "4 bytes before" : "right behind";
        CHECK(nearest.describe().rfind(side + " the 16 bytes of memory from the device's heap at 0x", 0) == 0);
    }
    CHECK(cuda_shim::checked_device_free(memory));
    CHECK(!cuda_shim::checked_device_free(memory));
    NearestMemory nearest(reinterpret_cast<uintptr_t>(memory));
    cuda_shim::consider_device_heap(nearest);
    CHECK(nearest.describe().rfind("0 bytes into the 16 bytes of freed memory from the device's heap", 0) == 0);
}
