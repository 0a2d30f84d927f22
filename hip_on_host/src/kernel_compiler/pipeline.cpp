#include "kernel_compiler/pipeline.h"

#include <utility>

#include "kernel_compiler/prepare/dynamic_shared.h"
#include "kernel_compiler/prepare/kernel_declarations.h"
#include "kernel_compiler/prepare/leading_alignment.h"
#include "kernel_compiler/prepare/linker_directions.h"
#include "kernel_compiler/prepare/own_functions.h"
#include "kernel_compiler/prepare/warp_steps.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_cuda(const Preparation& preparation) { return preparation.context.options.cuda != 0; }
// The checked mode names the race instead.
bool steps_through_warps(const Preparation& preparation) { return is_cuda(preparation) && !settings().check; }
bool prefers_own_functions(const Preparation& preparation) { return preparation.prefers_own_functions; }

}  // namespace

const std::vector<Pass>& passes() {
    static const std::vector<Pass> list = {
        {kMacrosPass, "no macro of the program, no condition, and of #include those of the runtime's headers alone",
         nullptr, nullptr},
        {"linker-directions", "nothing that speaks to a linker or a loader", nullptr, without_linker_directions},
        {"dynamic-shared", "pointers in the place of unsized extern __shared__ arrays", nullptr, with_dynamic_shared},
        {"leading-alignment", "alignments in front of the declarations that have them", nullptr,
         with_leading_alignment},
        {"kernel-declarations", "declarations of kernels as every host compiler takes them", nullptr,
         with_plain_kernel_declarations},
        {"printf", "another name for a printf of the program's", is_cuda, with_cuda_printf},
        {"warp-steps", "barriers of a warp around its steps through volatile shared memory", steps_through_warps,
         with_warp_steps},
        {"own-functions", "functions of the program's that win against those of the prelude", prefers_own_functions,
         with_preferred_functions},
        {kOwnMacrosPass, "no macro of the prelude with the name of a function of the program's", nullptr, nullptr},
        {kConversionsPass, "conversions of floats to integers that do as GPUs do", nullptr, nullptr},
        {kInlinedCallsPass, "device functions that wait, in the kernels that call them", nullptr, nullptr},
        {kFormsPass, "each kernel's form, with the reason where it is not split", nullptr, nullptr},
        {kModulePass, "the text that the host's compiler reads", nullptr, nullptr},
    };
    return list;
}

PreparedText prepare(std::string expanded_text, const Preparation& preparation, PassWatch& watch) {
    PreparedText prepared = {std::move(expanded_text), ""};
    for (const Pass& pass : passes()) {
        if (std::string_view(pass.name) == kOwnMacrosPass) break;
        if (pass.applies && !pass.applies(preparation)) continue;
        if (pass.edit) prepared.text = pass.edit(prepared.text);
        if (watch.saw(pass.name, prepared.text)) return prepared;
    }
    prepared.own_macros = undefine_own_names(prepared.text);
    if (!prepared.own_macros.empty()) {
        const std::string name = escape_for_literal(preparation.context.program.name);
        prepared.text = concat({prepared.own_macros, "#line 1 \"", name, "\"\n", prepared.text});
    }
    watch.saw(kOwnMacrosPass, prepared.text);
    return prepared;
}

}  // namespace cuda_shim
