// The errors that NVRTC finds in a program which a host's compiler takes.
#pragma once
#include <string>

#include "kernel_compiler/read/options.h"
#include "kernel_compiler/read/preprocess.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// The log of a CUDA program that NVRTC refuses; empty for others. `tree`: of its expanded text. `host_headers`: it
// includes headers of the host. With the setting cpu_lenient the log is a warning, and the program is taken.
std::string refused_program(const SyntaxTree& tree, const ProgramSource& program, const CompileOptions& options,
                            bool host_headers);

}  // namespace cuda_shim
