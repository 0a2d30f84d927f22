// This library itself: its handle and its folder.
#pragma once
#include <string>

namespace cuda_shim {

// A handle to this library, under any name that it was loaded as; null when that cannot be found out.
void* own_library();
// The folder that it was loaded from, with the slash at its end; empty when that cannot be found out.
std::string own_folder();

}  // namespace cuda_shim
