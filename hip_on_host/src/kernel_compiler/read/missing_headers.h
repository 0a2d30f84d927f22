// Headers that a program includes and NVRTC would not find: it has none of the host's.
#pragma once
#include <string>

#include "kernel_compiler/compilation.h"

namespace cuda_shim {

// Does a CUDA program get the host's header of this name? NVRTC has none; here those come along that CUDA's own C++
// library has under the same names, and C's that declare types, numbers and bytes alone.
bool serves_host_header(const std::string& name);

// NVRTC's words for a header that is not there. `expanded`: the preprocessor's output for the program, which has a
// pragma in the place of the header (preprocess.h). `folders`: whether options name any.
std::string missing_header(const std::string& name, const std::string& expanded_text, const ProgramSource& program,
                           bool folders);

// A compiler's log, in which NVRTC's words stand for the compiler's own where a header is not there.
std::string with_missing_header(const std::string& log, const ProgramSource& program, bool folders);

}  // namespace cuda_shim
