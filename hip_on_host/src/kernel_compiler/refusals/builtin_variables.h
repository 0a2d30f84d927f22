// threadIdx and its like, which no program may change.
#pragma once
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// Does the Reference name threadIdx, blockIdx, blockDim or gridDim?
bool is_builtin_variable(const SyntaxNode& reference);
// As the program writes it; empty for others.
std::string_view builtin_variable(const SyntaxNode& reference);

}  // namespace cuda_shim
