// thrust/pair.h
#pragma once
#pragma GCC system_header
#include <cuda/std/utility>

namespace thrust {
using cuda::std::make_pair;
using cuda::std::pair;
}  // namespace thrust
