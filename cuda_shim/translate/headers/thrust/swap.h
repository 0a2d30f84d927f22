// thrust/swap.h
#pragma once
#pragma GCC system_header
#include <cuda/std/utility>

namespace thrust {
using cuda::std::swap;
}  // namespace thrust
