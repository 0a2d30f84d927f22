// This library itself: where it lies, what it exports.
#pragma once
#include <string>

namespace cuda_shim {

// A handle to this library, whatever it was loaded as; null when it cannot be told.
void* own_library();
// The folder that it was loaded from, with the slash at its end; empty when it cannot be told.
std::string own_folder();

}  // namespace cuda_shim
