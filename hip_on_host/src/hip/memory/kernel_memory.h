// What checked kernels may touch, from the registry; and memory that was freed, which is kept for a while so that its
// late users are told apart from the next owner.
#pragma once
#include "hip/memory/memory_registry.h"

namespace cuda_shim {

// Registers them with the engine; called once, as the runtime starts in checked mode.
void offer_memory_to_checks();

// The program is given this memory now: in checked mode, nobody has written it yet.
void note_fresh_memory(const Allocation& allocation);

// Reports what the program has not freed, as the process ends.
void tell_leaks();

// Bytes behind each allocation that belong to nobody: what goes over the end of one is not in the next. 0 unless
// kernels are checked.
size_t guard_bytes();

// In checked mode, keeps storage that was freed and calls `release` for the oldest once there is too much of it. False
// otherwise: the caller releases.
bool keep_freed_storage(const Allocation& allocation, void (*release)(const Allocation&));

}  // namespace cuda_shim
