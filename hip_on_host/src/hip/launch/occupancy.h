// The number of blocks of a kernel that the device keeps at once, by the limits that its properties name.
#pragma once
#include <cstddef>
#include <cstdint>

#include "hip/modules/code_object.h"

namespace cuda_shim {

// Blocks of `threads` threads that one multiprocessor keeps; 0 when it cannot hold even one.
int active_blocks_per_multiprocessor(const Function& function, uint32_t threads, size_t dynamic_shared_bytes);

// On the whole of the current device: the most blocks of a cooperative launch.
uint64_t max_resident_blocks(const Function& function, uint32_t threads, size_t dynamic_shared_bytes);

}  // namespace cuda_shim
