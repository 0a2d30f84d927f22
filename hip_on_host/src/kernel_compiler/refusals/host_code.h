// Directives that the preprocessor of a host takes, and NVRTC's refuses.
#pragma once
#include <string>

#include "kernel_compiler/compilation.h"
#include "kernel_compiler/read/includes.h"

namespace cuda_shim {

// Headers of the host and directives that read its files: NVRTC's words for the first, empty where there is none.
// `expanded`: the preprocessor's output for the program. `folders`: whether options name any.
std::string refused_directive(const ProgramSource& program, const IncludeClosure& includes,
                              const std::string& expanded_text, bool folders);

}  // namespace cuda_shim
