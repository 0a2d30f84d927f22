// Device functions in which threads meet (a warp's sum by shuffles, a block's by shared memory) are written out where a
// kernel calls them, so that it can be split at their barriers.
#pragma once
#include <string>

#include "hiprtc/line_map.h"
#include "hiprtc/translation_unit.h"

namespace cuda_shim {

// The kernel's body, braces included, with such calls written out as far as that is understood; empty when it has none.
// What is left is left as it is: the kernel then is not split.
std::string write_out_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines);

}  // namespace cuda_shim
