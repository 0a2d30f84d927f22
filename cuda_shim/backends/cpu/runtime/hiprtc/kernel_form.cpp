#include "hiprtc/kernel_form.h"

#include "hiprtc/split/inline_calls.h"
#include "hiprtc/split/split_writer.h"
#include "hiprtc/split/written_names.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool contains(const TokenStream& tokens, size_t begin, size_t end, std::string_view word) {
    for (size_t i = begin; i < end; ++i)
        if (tokens.is(i, word)) return true;
    return false;
}

// The head of the further function: the kernel's template head and parameters, behind the run. `scope` names what stays
// the same in it.
std::string function_head(const TokenStream& tokens, const FunctionDeclaration& kernel,
                          const char* scope = "CUDA_SHIM_SPLIT_BLOCK") {
    const std::string parameters = tokens.slice(kernel.parameters_open + 1, kernel.parameters_close);
    const bool none = kernel.parameters_close == kernel.parameters_open + 1 || parameters == "void";
    return concat({kernel.template_head, "\nstatic inline void ", split_name(kernel.name),
                   "(const CudaShimKernelRun* cuda_shim_run_", none ? "" : ", " + parameters,
                   ") {\nstatic constexpr char cuda_shim_function[] = \"", kernel.name, "\";\n", scope, "\n"});
}

// A kernel without barriers: its whole body in one loop over the block's threads.
std::string write_loop(const TranslationUnit& unit, const FunctionDeclaration& kernel, const std::string& line) {
    const TokenStream& tokens = unit.tokens();
    // Each thread has its own parameters: those that the kernel changes are copied for every iteration.
    std::string copies;
    for (const Parameter& parameter : named_parameters(tokens, kernel.parameters_open, kernel.parameters_close))
        for (size_t i = kernel.body_open; i < kernel.body_close; ++i)
            if (tokens.is(i, parameter.name) && is_written(tokens, unit, i, parameter.pointer)) {
                append(copies, {", ", parameter.name});
                break;
            }
    const bool returns = contains(tokens, kernel.body_open, kernel.body_close, "return");
    const std::string body = line + tokens.slice(kernel.body_open, kernel.body_close + 1);
    std::string text = function_head(tokens, kernel) + "CUDA_SHIM_THREADS\n";
    if (returns || !copies.empty())
        append(text, {"[&", copies, "]() ", copies.empty() ? "" : "mutable ", "-> void", body, "();"});
    else
        text += body;
    return text + "\nCUDA_SHIM_THREADS_END\n}\n";
}

// A kernel whose threads meet. Loops without barriers are taken apart too where it pays; one after the other is put
// back together until all that remain may be. Throws NotSplit.
std::string write_split(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines,
                        bool& over_blocks) {
    const TokenStream& tokens = unit.tokens();
    const std::vector<Parameter> parameters = named_parameters(tokens, kernel.parameters_open, kernel.parameters_close);
    const std::string written_out = write_out_calls(unit, kernel, lines);
    const TokenStream own(written_out);
    const LineMap own_lines(own, "");
    const bool inlined = !written_out.empty();
    std::set<size_t> refused;
    while (true) {
        KernelBody body(unit, kernel, inlined ? own : tokens, inlined ? 0 : kernel.body_open, parameters, &refused);
        if (!body.root().split) throw NotSplit("nothing to split");
        SplitWriter writer(body, inlined ? own_lines : lines);
        if (const Statement* loop = writer.unsuitable_soft_loop()) {
            refused.insert(loop->range.begin);
            continue;
        }
        const std::string written = writer.write();
        over_blocks = writer.over_blocks();
        const char* scope = over_blocks ? "CUDA_SHIM_SPLIT_RUN" : "CUDA_SHIM_SPLIT_BLOCK";
        return concat({function_head(tokens, kernel, scope), written, "}\n"});
    }
}

}  // namespace

std::string split_name(const std::string& kernel) { return "cuda_shim_split_" + kernel; }

KernelForm choose_kernel_form(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines) {
    KernelForm form;
    form.has_barriers = unit.synchronises(kernel.body_open, kernel.body_close);
    std::string text;
    try {
        bool over_blocks = false;
        text = write_split(unit, kernel, lines, over_blocks);
        form.kind = form.has_barriers ? KernelForm::Split : over_blocks ? KernelForm::Run : KernelForm::Loop;
    } catch (const NotSplit& reason) {
        if (form.has_barriers) {
            form.reason = reason.what();
            return form;
        }
        text = write_loop(unit, kernel, lines.directive(kernel.body_open));
        form.kind = KernelForm::Loop;
    }
    form.text = concat({"\n#line 1 \"<thread loops>\"\n", text, lines.directive(kernel.body_close)});
    return form;
}

}  // namespace cuda_shim
