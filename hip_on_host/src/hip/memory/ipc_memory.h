// Device memory shared between processes.
#pragma once
#include "abi/hip_types.h"
#include "hip/memory/memory_registry.h"
#include "hip/memory/shared_memory.h"

namespace cuda_shim {

// Puts the allocation's pages into shared memory, at the same address, and names them; again gives the same name.
// For memory with pages to itself. hipErrorOutOfMemory.
hipError_t share_storage(const Allocation& allocation, SharedName& name);
// The same for the device memory that the pointer is in, as a handle.
hipError_t share_allocation(void* pointer, hipIpcMemHandle_t& handle);
// Maps another process's allocation; opening one twice gives the same address.
hipError_t open_shared_allocation(const hipIpcMemHandle_t& handle, int device, void*& base);
hipError_t close_shared_allocation(void* base);

// Turns the pages of a shared allocation into ordinary ones again, before they are freed.
void unshare_storage(const Allocation& allocation);

}  // namespace cuda_shim
