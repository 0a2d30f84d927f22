// One text of a module, compiled and completed: its table has the lowered names and the kernels' memory.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/build/compile_steps.h"
#include "kernel_compiler/compile_context.h"
#include "kernel_compiler/emit/module_writer.h"

namespace cuda_shim {

struct BuiltModule {
    enum Outcome {
        Done,
        Failed,        // `errors` says why: the compiler's, or about the image
        Refused,       // `refusal` is the log of a module that CUDA's compilers refuse
        NamesTooLong,  // a lowered name needs `longest_name` bytes
    } outcome = Failed;
    std::string code;
    std::vector<std::string> lowered;  // a lowered name for each name expression
    std::string errors, refusal;
    size_t longest_name = 0;
};

BuiltModule build_module(const ModuleText& module, const TranslationUnit& unit, const ModuleRequest& request,
                         const CompileContext& context, CompileSteps& steps);

}  // namespace cuda_shim
