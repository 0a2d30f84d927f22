// Inlining of device functions into the kernels that call them: functions in which threads meet (a warp's sum by
// shuffles, a block's by shared memory), so that the kernel can be split at their barriers, and functions that only
// compute in a loop, so that the loop can run for many threads at a time.
#pragma once
#include <string>

#include "kernel_compiler/line_map.h"
#include "kernel_compiler/syntax/call_graph.h"
#include "kernel_compiler/translation_unit.h"

namespace cuda_shim {

// The kernel's body, braces included, with such calls inlined as far as that is certain to mean the same; empty when it
// has none. Other calls are left as they are: a kernel in which threads then still meet is not split. The front end
// reads the text again, to know its meaning. `reason`: why calls that wait are left.
std::string inline_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
                         const LineMap& lines, std::string& reason);

}  // namespace cuda_shim
