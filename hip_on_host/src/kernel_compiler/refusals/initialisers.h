// Initialisers of variables that are there before any kernel runs: CUDA takes constants alone.
#pragma once
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// `host_headers`: the program includes headers of the host, whose functions may be constexpr without the tree's saying
// so.
void refuse_computed_initialisers(const SyntaxTree& tree, bool host_headers, RefusalReport& report);

}  // namespace cuda_shim
