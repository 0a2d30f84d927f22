// Getting memory from the host and giving it back, through the registry.
#pragma once
#include <cstddef>

#include "hip/contexts/owner.h"
#include "hip/memory/memory_registry.h"

namespace cuda_shim {

class Device;

// Memory of at least 512-byte alignment, registered. Zero bytes give a null pointer and success, as in HIP.
// hipErrorOutOfMemory when the machine has not that much left.
hipError_t allocate_memory(Device& device, MemoryKind kind, size_t bytes, unsigned flags, void** out,
                           MemoryPool* pool = nullptr);

// Gives registered memory back to the host. `allocation` was removed from the registry by the caller.
void release_storage(const Allocation& allocation);

// Frees the allocation that starts at `base`, if its kind is among `allowed` (a set of kind_bit's):
// hipErrorInvalidValue for any other pointer, one freed already among them.
hipError_t free_memory(void* base, unsigned allowed);
constexpr unsigned kind_bit(MemoryKind kind) { return 1u << static_cast<unsigned>(kind); }

// All memory that the program allocated in the contexts that end.
void free_owned_memory(const Ending& ending);

// Bytes that can still be had, out of `total`.
void memory_info(const Device& device, size_t& free, size_t& total);

// True if the range is the program's own memory, which can be read, or with `written` be written: both ends allow the
// access, and no page between them is missing.
bool is_usable(const void* address, size_t bytes, bool for_writing);

}  // namespace cuda_shim
