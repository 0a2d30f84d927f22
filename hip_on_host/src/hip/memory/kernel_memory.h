// Memory that checked kernels may access, from the registry; and freed memory, which is kept for a while so that a late
// access to it does not look like one to the next owner's memory.
#pragma once
#include "hip/memory/memory_registry.h"

namespace cuda_shim {

// Registers them with the engine; called once, as the runtime starts in checked mode.
void offer_memory_to_checks();

// Called when the program is given this memory: in checked mode, it counts as unwritten.
void note_fresh_memory(const Allocation& allocation);

// Reports memory that the program has not freed, as the process ends.
void tell_leaks();

// Bytes behind each allocation that belong to no allocation: an access beyond the end of one is not in the next. 0
// unless kernels are checked.
size_t guard_bytes();

// In checked mode, keeps storage that was freed and calls `release` for the oldest once there is too much of it. False
// otherwise: the caller releases.
bool keep_freed_storage(const Allocation& allocation, void (*release)(const Allocation&));

}  // namespace cuda_shim
