#include "kernel_compiler/refusals/refused_program.h"

#include "common/log.h"
#include "common/settings.h"
#include "kernel_compiler/refusals/assignments.h"
#include "kernel_compiler/refusals/dynamic_shared_types.h"
#include "kernel_compiler/refusals/execution_space.h"
#include "kernel_compiler/refusals/initialisers.h"
#include "kernel_compiler/refusals/kernel_attributes.h"
#include "kernel_compiler/refusals/kernels.h"
#include "kernel_compiler/refusals/memory_spaces.h"
#include "kernel_compiler/refusals/unknown_names.h"

namespace cuda_shim {

std::string refused_program(const SyntaxTree& tree, const ProgramSource& program, const CompileOptions& options,
                            bool host_headers) {
    RefusalReport report(tree.tokens(), program);
    if (!options.device_by_default) refuse_host_declarations(tree, report);
    refuse_wrong_kernels(tree, report);
    refuse_wrong_attributes(tree, options, report);
    refuse_wrong_variables(tree, report);
    refuse_computed_initialisers(tree, host_headers, report);
    refuse_wrong_assignments(tree, report);
    refuse_dynamic_shared_types(tree, report);
    refuse_unknown_names(tree, program, options, report);
    if (report.empty()) return "";
    if (!settings().lenient) return report.text();
    log(LogLevel::Warn, "%s: NVRTC refuses this program, which runs here by the setting cpu_lenient:\n%s",
        program.name.c_str(), report.text().c_str());
    return "";
}

}  // namespace cuda_shim
