// The rules of CUDA for variables: which may be in which memory space, and what may initialise them.
#pragma once
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

void refuse_wrong_variables(const SyntaxTree& tree, RefusalReport& report);

}  // namespace cuda_shim
