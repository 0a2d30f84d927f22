// Parts of a program that speak to a linker or a loader. NVRTC reads them and makes nothing of them: labels of symbols,
// sections, other names for functions, functions that run at the start or the end.
#pragma once
#include <string>

namespace cuda_shim {

// The text with blanks in their place.
std::string without_linker_directions(const std::string& text);

}  // namespace cuda_shim
