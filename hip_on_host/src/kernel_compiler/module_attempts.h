// The module of a text that was read: written, compiled, and written again in another form where generated code does
// not compile. An error that the generated code brings in must never be the program's problem.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "kernel_compiler/analyse/kernel_sizes.h"
#include "kernel_compiler/build/generated_code_faults.h"
#include "kernel_compiler/build/module_build.h"
#include "kernel_compiler/pipeline.h"
#include "kernel_compiler/syntax/text_reader.h"

namespace cuda_shim {

class ModuleAttempts {
public:
    // `program_is_right`: whether the compiler takes the program as it was written.
    ModuleAttempts(const ReadText& text, const CompileContext& context, CompileSteps& steps,
                   std::function<bool()> program_is_right);

    // Ends with a module that failed, was refused, or is done; without one where `watch` has what it waits for.
    BuiltModule run(PassWatch& watch);

private:
    bool change_request(const ModuleText& module, const std::string& errors);
    void leave_as_written(const std::vector<std::string>& rewritten, const std::string& errors);
    bool compiles_alone(const std::string& kernel, const std::vector<std::string>& rewritten);
    void report(const ModuleText& module) const;

    const ReadText& text_;
    const CompileContext& context_;
    CompileSteps& steps_;
    const std::function<bool()> program_is_right_;
    const KernelMemoryUse memory_use_;
    ModuleRequest request_;
    GeneratedCodeFaults faults_;
};

}  // namespace cuda_shim
