// Reads memory that may not be there.
#pragma once
#include <cstddef>
#include <string>

namespace cuda_shim {

// Copies `bytes` bytes; false where some of them cannot be read. The system does the reading, so that unreadable memory
// gives an error, not a fault.
bool copy_readable(void* to, const void* from, size_t bytes);

// The readable bytes from an address on, `most` bytes at most.
std::string readable_prefix(const void* from, size_t most);

}  // namespace cuda_shim
