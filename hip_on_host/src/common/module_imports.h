// The functions of the process that a kernel module may use: CUDA has functions of its own and none of the host, so a
// module links against the functions behind CUDA's, and runs nothing when it is loaded.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_shim {

// Is it a function of the C library that CUDA's own are made of?
bool may_be_imported(std::string_view symbol);

// Names that the image uses without defining them, and that no module may have.
std::vector<std::string> refused_imports(const void* image, size_t size);

// True if loading the image runs code of the program: a constructor, a destructor, a resolver of functions. Functions
// that compilers add of their own do not count.
bool runs_when_loaded(const void* image, size_t size);

}  // namespace cuda_shim
