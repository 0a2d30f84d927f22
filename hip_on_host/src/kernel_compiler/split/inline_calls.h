// Inlining of device functions into the kernels that call them.
//
// Problem: a kernel is split at the barriers in its own text. A barrier in a device function (a warp's sum by shuffles,
// a block's by shared memory) would leave the kernel on fibres, and a divergent loop in a device function would run for
// one thread at a time.
//
//   before: float total = block_sum(x) * scale;
//   after:  float cuda_shim_i0_v = (x); ... cuda_shim_i0_result = ...; float total = cuda_shim_i0_result * scale;
//
// Clang parses the new text again, so later passes know its meaning.
//
// Precondition: the call can be evaluated before the rest of its expression, once and always; names in the function
// mean the same where the kernel is; the function has no types or lambdas of its own, and returns at its end (functions
// that only compute may return early).
//
// Limits: kMaxInlinedCalls calls, which also ends recursion, and kMaxArithmeticCalls calls of functions that only
// compute. Calls that do not qualify stay: a kernel with a barrier in one of them is not split.
#pragma once
#include <string>

#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/syntax/call_graph.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// The kernel's body, braces included, with its calls inlined; empty when none is. `reason`: why calls that wait for
// other threads are not inlined.
std::string inline_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
                         const LineMap& lines, std::string& reason);

}  // namespace cuda_shim
