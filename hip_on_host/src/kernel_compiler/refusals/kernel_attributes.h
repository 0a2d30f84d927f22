// NVRTC refuses wrong arguments of __launch_bounds__, __cluster_dims__ and __maxnreg__, and a __grid_constant__ that is
// not on a constant parameter of a kernel.
#pragma once
#include "kernel_compiler/read/options.h"
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

void refuse_wrong_attributes(const SyntaxTree& tree, const CompileOptions& options, RefusalReport& report);

}  // namespace cuda_shim
