// Writes to what a kernel only reads: built-in variables and constant memory.
#pragma once
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

void refuse_wrong_assignments(const SyntaxTree& tree, RefusalReport& report);

}  // namespace cuda_shim
