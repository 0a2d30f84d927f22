// Addresses for memory of devices: ranges of its own, so that nothing else of the process is ever where freed memory
// was. A stale pointer then leads nowhere, and cannot damage other data.
#pragma once
#include <cstddef>

namespace cuda_shim {

// Memory that can be read and written; null when there is none. `bytes` is a multiple of `alignment`, a power of two up
// to a page. Blocks of large_block_bytes() and more have pages of their own, huge ones where they are available, and go
// back to the system at once.
void* take_device_memory(size_t bytes, size_t alignment);
void return_device_memory(void* base, size_t bytes);

size_t large_block_bytes();

// True if an address is in one of the ranges, in use or not.
bool in_device_space(const void* address);

}  // namespace cuda_shim
