// Programs whose compiled code shows that no GPU could run it.
#pragma once
#include <string>

#include "kernel_compiler/build/module_image.h"
#include "kernel_compiler/read/options.h"
#include "kernel_compiler/read/preprocess.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// `code`: a completed module. It is refused, in the words of NVRTC or of the assembler behind it, if it runs code as it
// is loaded, uses functions that it does not define, or has more parameters, shared or constant memory than there are.
// Empty for others.
std::string refused_module(const ProgramSource& program, const CompileOptions& options, const TranslationUnit& unit,
                           const ModuleNames& names, const std::string& code);

}  // namespace cuda_shim
