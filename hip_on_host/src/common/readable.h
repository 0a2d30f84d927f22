// Reading memory of which nobody knows whether it is there.
#pragma once
#include <cstddef>
#include <string>

namespace cuda_shim {

// Copies `bytes` bytes; false where some of them cannot be read. The system does the reading: what would be a fault
// here is an error there.
bool copy_readable(void* to, const void* from, size_t bytes);

// As much as can be read from an address on, `most` bytes at most.
std::string readable_prefix(const void* from, size_t most);

}  // namespace cuda_shim
