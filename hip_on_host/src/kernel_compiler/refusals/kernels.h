// The rules of CUDA for kernels: what their declarations may look like, and which words are theirs alone.
#pragma once
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

void refuse_wrong_kernels(const SyntaxTree& tree, RefusalReport& report);

}  // namespace cuda_shim
