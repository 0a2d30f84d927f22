// thrust/tuple.h
#pragma once
#pragma GCC system_header
#include <cuda/std/tuple>

namespace thrust {
using cuda::std::get;
using cuda::std::make_tuple;
using cuda::std::tuple;
using cuda::std::tuple_element;
using cuda::std::tuple_size;
}  // namespace thrust
