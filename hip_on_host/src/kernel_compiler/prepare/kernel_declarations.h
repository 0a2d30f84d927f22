// Declarations of kernels as every host compiler takes them: `__global__ void k(auto x)` with a template head, for its
// row in the module's table, and `inline __global__` without the second `inline`, which GCC refuses.
#pragma once
#include <string>

namespace cuda_shim {

std::string with_plain_kernel_declarations(const std::string& text);

}  // namespace cuda_shim
