// Copies of more memory than the caches hold.
#pragma once
#include <cstddef>

namespace cuda_shim {

// Copies of at least as many bytes should not go through the caches.
size_t bytes_beyond_caches();

// Copies memory that does not overlap, and leaves the target out of the caches. A store through them reads the line of
// the target first, half as much memory traffic again. The C library's memcpy does the same, but it judges by the bytes
// of one call, which is a piece of the copy here.
void copy_past_caches(char* dst, const char* src, size_t bytes);

}  // namespace cuda_shim
