// The rule that a program holds nothing of the host: NVRTC refuses functions, variables and lambdas that are the
// host's, used or not.
#pragma once
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

void refuse_host_declarations(const SyntaxTree& tree, RefusalReport& report);

}  // namespace cuda_shim
