// Words and forms of other languages than NVRTC's: built-ins of host compilers, GNU's extensions, HIP's own names.
#pragma once
#include "kernel_compiler/read/options.h"
#include "kernel_compiler/refusals/refusal_report.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// Judged is what the program's text or its headers have themselves, not what macros of others put there. A program with
// translated PTX is not judged.
void refuse_unknown_names(const SyntaxTree& tree, const ProgramSource& program, const CompileOptions& options,
                          RefusalReport& report);

}  // namespace cuda_shim
