// A checksum against damage by disks, copies and stray writes, not against attackers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

// The checksum of `bytes` bytes; never 0. A few gigabytes a second. `seed` continues an earlier one.
uint64_t checksum(const void* data, size_t bytes, uint64_t seed = 0);

}  // namespace cuda_shim
