// Files that other processes and APIs hand over, as device memory of this process.
#pragma once
#include <cstddef>

#include "abi/hip_types.h"
#include "common/files.h"

namespace cuda_shim {

class Device;

// Maps `bytes` of the file from `offset` on, and registers them; hipFree unmaps them. The file may be closed
// afterwards. hipErrorInvalidValue when the file does not hold that range, hipErrorOutOfMemory when it cannot be
// mapped.
hipError_t import_memory(const Descriptor& file, size_t offset, size_t bytes, const Device& device, void** out);

}  // namespace cuda_shim
