// Compiling one program: options, cache, macros, rewriting, the compiler, lowered names, and the log.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/hiprtc_types.h"
#include "kernel_compiler/read/preprocess.h"

namespace cuda_shim {

struct CompiledProgram {
    hiprtcResult result = HIPRTC_ERROR_COMPILATION;
    std::string log;
    std::string code;                  // the kernel module, an ELF shared object
    std::vector<std::string> lowered;  // a lowered name for each name expression
};

CompiledProgram compile_program(const ProgramSource& program, const std::vector<std::string>& name_expressions,
                                const std::vector<std::string>& options);

}  // namespace cuda_shim
