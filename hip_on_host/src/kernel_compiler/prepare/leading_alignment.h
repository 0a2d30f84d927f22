// `__shared__ alignas(16) float s[64];` as C++ takes it: the alignment in front.
#pragma once
#include <string>

namespace cuda_shim {

std::string with_leading_alignment(const std::string& text);

}  // namespace cuda_shim
