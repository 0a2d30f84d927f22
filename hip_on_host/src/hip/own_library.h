// This library itself: where it lies, what it exports.
#pragma once
#include <string>

namespace cuda_shim {

// A handle to this library, whatever it was loaded as; null when that cannot be found out.
void* own_library();
// The folder that it was loaded from, with the slash at its end; empty when that cannot be found out.
std::string own_folder();

}  // namespace cuda_shim
