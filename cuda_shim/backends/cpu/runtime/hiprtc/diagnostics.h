// What is wrong with a program, in its own lines and columns: the compiler reads the original text, unchanged.
#pragma once
#include <string>
#include <vector>

#include "hiprtc/preprocess.h"

namespace cuda_shim {

struct Diagnosis {
    bool accepted = false;  // the compiler finds nothing wrong
    std::string text;
};

Diagnosis diagnose_program(const Compiler& compiler, const CompileOptions& options, const ProgramSource& program,
                           const std::vector<std::string>& name_expressions, const IncludeClosure& includes,
                           const std::string& headers_folder, const std::string& scratch);

// What the host compiler does not mind in a program: kernels that return something. A line for each, empty without.
std::string diagnose_kernels(const std::string& text, const std::string& program_name);

}  // namespace cuda_shim
