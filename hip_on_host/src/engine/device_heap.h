// The heap behind kernels' malloc and new: like the heap of a GPU it outlives the kernel, and has a size. All devices
// share one heap.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/memory_lookup.h"

namespace cuda_shim {

// The most bytes that may be allocated at a time. Existing allocations beyond it stay.
void set_device_heap_limit(size_t bytes);

// True once a kernel has allocated, or tried to, since the last call of `forget_device_heap_use`: the size of a GPU's
// heap is fixed from then on.
bool device_heap_was_used();
void forget_device_heap_use();

void* device_malloc(size_t bytes) noexcept;
// False when `memory` is neither null nor the start of an allocation that is still there.
bool device_free(void* memory);

// The same for checked kernels, whose allocations are known one by one. Null when there is no memory left.
void* checked_device_malloc(size_t bytes) noexcept;
bool checked_device_free(void* memory);

// The living allocation that holds `address`.
bool find_in_device_heap(uintptr_t address, MemoryRange& range);
// The allocations next to the address, freed ones too.
void consider_device_heap(NearestMemory& nearest);

}  // namespace cuda_shim
