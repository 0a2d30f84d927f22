// Whether a call may be taken out of the expression that it is in.
#pragma once
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// May the call be made before the rest of its expression, whose tokens are `range`, once and always?
bool can_be_hoisted(const SyntaxTree& tree, NodeIndex call, Range range);

}  // namespace cuda_shim
