// Sizes and addresses in whole units of something: pages, ranges, alignments.
#pragma once
#include <cstddef>

namespace cuda_shim {

inline size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace cuda_shim
