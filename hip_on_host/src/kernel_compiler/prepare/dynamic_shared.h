// `extern __shared__ T name[];` has no meaning to a host compiler: it becomes a pointer to the launch's own memory.
#pragma once
#include <string>

namespace cuda_shim {

// The text in which each declaration is `T* const name = ...`. One at namespace scope moves into the functions that use
// the name. A declaration with a known size loses its `extern`.
std::string with_dynamic_shared(const std::string& text);

}  // namespace cuda_shim
