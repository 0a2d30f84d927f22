// What checked kernels get from malloc and new: like the heap of a GPU it outlives the kernel.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/memory_lookup.h"

namespace cuda_shim {

// Null when there is no memory left.
void* device_malloc(size_t bytes) noexcept;
// False when `memory` is neither null nor the start of an allocation that is still there.
bool device_free(void* memory);

// The living allocation that holds `address`.
bool find_in_device_heap(uintptr_t address, MemoryRange& range);
// The allocations next to the address, freed ones too.
void consider_device_heap(NearestMemory& nearest);

}  // namespace cuda_shim
