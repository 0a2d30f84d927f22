// `extern __shared__ T memory[];`: one name stands for one variable, so its declarations agree on the type.
#pragma once
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

void refuse_dynamic_shared_types(const SyntaxTree& tree, RefusalReport& report);

}  // namespace cuda_shim
