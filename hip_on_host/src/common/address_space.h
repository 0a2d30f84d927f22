// Ranges of addresses that are set aside for one purpose. Pages in them take no memory until they are used.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

size_t physical_memory_bytes();

// True if RLIMIT_AS (ulimit -v) limits this process.
bool addresses_are_limited();

// The bytes that RLIMIT_AS leaves to this process; SIZE_MAX where there is no such limit.
size_t addresses_left();

struct ReservedAddresses {
    uintptr_t begin = 0;
    size_t bytes = 0;
};

// A range that can be neither read nor written, of `bytes`, or of half as many, and so on, but not fewer than `least`.
// No bytes where not even that is free.
ReservedAddresses reserve_addresses(size_t bytes, size_t least);

}  // namespace cuda_shim
