// The errors of a program, in its own lines and columns: the compiler reads the original text, unchanged.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/read/preprocess.h"

namespace cuda_shim {

struct Diagnosis {
    bool accepted = false;  // the compiler finds nothing wrong
    std::string text;
};

Diagnosis diagnose_program(const Compiler& compiler, const CompileOptions& options, const ProgramSource& program,
                           const std::vector<std::string>& name_expressions, const HostHeaders& host_headers,
                           const std::string& headers_folder, const std::string& scratch);

// Makes a silent command of Clang's warn where CUDA's compilers do: of variables and values that nothing uses or sets,
// code that returns nothing, constants that do not fit.
void show_warnings(std::vector<std::string>& command);
// Lets the compiler warn of the forms that it takes and NVRTC refuses (tables/nvrtc_messages.yaml), which stay
// warnings.
void show_refused_forms(const CompileOptions& options, std::vector<std::string>& command);
// The warnings in that command's output, under the program's name; none of headers.
std::string warnings_about(const std::string& errors, const std::string& program_name, const std::string& source);

// Errors that the host compiler does not mind in a program: kernels that return something. A line for each, empty
// without.
std::string diagnose_kernels(const std::string& text, const std::string& program_name);

}  // namespace cuda_shim
