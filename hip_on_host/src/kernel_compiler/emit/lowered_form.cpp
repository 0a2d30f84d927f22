#include "kernel_compiler/emit/lowered_form.h"

#include <algorithm>

#include "kernel_compiler/build/process.h"
#include "kernel_compiler/split/inline_calls.h"
#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// The head of the lowered function: the kernel's template head and parameters, behind the run. `scope`: the macro that
// declares the values which stay the same in it.
std::string function_head(const TokenStream& tokens, const FunctionDeclaration& kernel,
                          const char* scope = "CUDA_SHIM_SPLIT_BLOCK") {
    const std::string parameters = tokens.slice(kernel.parameters_open + 1, kernel.parameters_close);
    const bool none = kernel.parameters_close == kernel.parameters_open + 1 || parameters == "void";
    return concat({kernel.template_head, "\nstatic inline void ", split_name(kernel.name),
                   "(const CudaShimKernelRun* cuda_shim_run_", none ? "" : ", " + parameters,
                   ") {\nstatic constexpr char cuda_shim_function[] = \"", kernel.name, "\";\n", scope, "\n"});
}

// Each thread has its own parameters: those that the kernel may change are copied for every iteration.
std::string copied_parameters(const FunctionSyntax& syntax) {
    std::string copies;
    for (NodeIndex parameter : syntax.parameters()) {
        const SyntaxNode& node = syntax.tree()[parameter];
        if (node.name.empty() || syntax.is_reference(parameter)) continue;
        bool is_written = false;
        for (NodeIndex instance : syntax.instances())
            for (NodeIndex i = instance; i < syntax.tree()[instance].end && !is_written; ++i) {
                if (syntax.variable_of(i) != node.name_token) continue;
                const Use use = use_of(syntax.calls(), i);
                is_written = use == Use::Write || use == Use::Escape;
            }
        if (is_written) append(copies, {", ", node.name});
    }
    return copies;
}

// Without a syntax tree, any parameter may be changed. A parameter without a name has nothing to copy.
std::string all_parameters(const TokenStream& tokens, const FunctionDeclaration& kernel) {
    std::string copies, name;
    size_t words = 0;
    bool pack = false, in_default = false;
    for (size_t i = kernel.parameters_open + 1; i <= kernel.parameters_close; ++i) {
        if (i == kernel.parameters_close || tokens.is(i, ",")) {
            if (words > 1) append(copies, {", ", name, pack ? "..." : ""});
            name.clear();
            words = 0;
            pack = in_default = false;
            continue;
        }
        const size_t close = tokens.is(i, "<") ? tokens.closing_angle(i, kernel.parameters_close) : tokens.closing(i);
        if (close != TokenStream::npos && close > i) {
            i = close;
        } else if (tokens.is(i, "=")) {
            in_default = true;
        } else if (!in_default) {
            ++words;
            pack = pack || tokens.is(i, "...");
            if (tokens.is_identifier(i)) name = tokens.text(i);
        }
    }
    return copies;
}

// True if `ask` holds for any of the kernel's instantiations; `unknown` where there is no syntax tree, or the kernel is
// not in it.
template <class Ask>
bool any_instance(const ParsedProgram& program, const FunctionDeclaration& kernel, bool unknown, const Ask& ask) {
    if (!program.syntax) return unknown;
    try {
        const FunctionSyntax syntax(program.syntax->calls(), kernel.body_open);
        return std::any_of(syntax.instances().begin(), syntax.instances().end(), ask);
    } catch (const NotSplit&) {
        return unknown;
    }
}

// `float4` and its like: their copies run no code.
bool is_short_vector(std::string_view type) {
    while (starts_with(type, "const ")) type.remove_prefix(6);
    return type.size() > 3 && type.back() >= '1' && type.back() <= '4' &&
           std::all_of(type.begin(), type.end() - 1, [](char c) { return c >= 'a' && c <= 'z'; });
}

// May the node run a function of the program's, or one that cannot be known?
bool may_run_own_function(const CallGraph& calls, NodeIndex index) {
    const SyntaxNode& node = calls.tree()[index];
    if (node.is_call()) return !calls.callee(index).of_prelude;
    if (node.kind == NodeKind::Construct) return !is_short_vector(node.real_type());
    return node.kind == NodeKind::Lambda || node.kind == NodeKind::BindTemporary || node.kind == NodeKind::Dependent ||
           node.kind == NodeKind::Other;
}

// The mark of a kernel whose threads' index no function reads (thread_loops.h).
std::string index_mark(const ParsedProgram& program, const FunctionDeclaration& kernel) {
    const bool may_be_read = any_instance(program, kernel, true, [&](NodeIndex instance) {
        const CallGraph& calls = program.syntax->calls();
        const NodeIndex body = calls.tree().body(instance);
        if (body == kNoNode) return true;
        for (NodeIndex i = body; i < calls.tree()[body].end; ++i)
            if (may_run_own_function(calls, i)) return true;
        return false;
    });
    return may_be_read ? "" : "CUDA_SHIM_KEEPS_INDEX\n";
}

// The whole body of a kernel without barriers in one loop over the block's threads.
struct LoopBody {
    std::string copies;    // the parameters that each thread has for itself, as the captures of a lambda
    bool returns = false;  // may it leave before its end?
};

LoopBody read_loop_body(const ParsedProgram& program, const FunctionDeclaration& kernel) {
    if (!program.syntax) return {all_parameters(program.unit.tokens(), kernel), true};
    const FunctionSyntax syntax(program.syntax->calls(), kernel.body_open);
    LoopBody loop{copied_parameters(syntax)};
    for (NodeIndex i = syntax.structure_body(); i < syntax.tree()[syntax.structure_body()].end; ++i)
        loop.returns =
            loop.returns || syntax.tree()[i].kind == NodeKind::Return || syntax.tree()[i].kind == NodeKind::Jump;
    return loop;
}

std::string write_loop(const ParsedProgram& program, const FunctionDeclaration& kernel, const std::string& line) {
    const TokenStream& tokens = program.unit.tokens();
    const LoopBody loop = read_loop_body(program, kernel);
    const std::string body = line + tokens.slice(kernel.body_open, kernel.body_close + 1);
    std::string text = concat({function_head(tokens, kernel), index_mark(program, kernel), "CUDA_SHIM_THREADS\n"});
    if (loop.returns || !loop.copies.empty())
        append(text, {"[&", loop.copies, "]() ", loop.copies.empty() ? "" : "mutable ", "-> void", body, "();"});
    else
        text += body;
    return text + "\nCUDA_SHIM_THREADS_END\n}\n";
}

// One loop over the threads, where conditions can be hoisted to its rows; else empty: the kernel's own text is as good
// then.
std::string write_rows(SplitWriter& writer) {
    try {
        const std::string text = writer.write();
        return writer.is_one_row_loop() ? text : "";
    } catch (const NotSplit&) {
        return "";
    }
}

// Splits a kernel whose threads meet. Loops without barriers are split too where it pays: each round of the search
// refuses one unsuitable loop, until all that remain are suitable. Empty where there is nothing to split; throws
// NotSplit.
std::string write_split(const ParsedProgram& program, const FunctionDeclaration& kernel, const LineMap& lines,
                        bool& over_blocks) {
    const FunctionSyntax syntax(program.syntax->calls(), kernel.body_open);
    for (NodeIndex parameter : syntax.parameters())
        if (syntax.is_reference(parameter)) throw NotSplit("a reference parameter, which any thread may change");
    std::set<size_t> rejected;
    while (true) {
        KernelBody body(program.unit, kernel, program.syntax->calls(), &rejected);
        SplitWriter writer(body, lines);
        if (const Statement* loop = writer.unprofitable_loop()) {
            rejected.insert(loop->range.begin);
            continue;
        }
        const std::string text = body.only_for_rows() ? write_rows(writer) : writer.write();
        if (text.empty()) return "";
        over_blocks = writer.over_blocks();
        const unsigned int width = writer.known_width();
        const char* scope = over_blocks ? "CUDA_SHIM_SPLIT_RUN"
                            : width     ? "CUDA_SHIM_BLOCK_WIDTHS"
                                        : "CUDA_SHIM_SPLIT_BLOCK";
        return concat({function_head(program.unit.tokens(), kernel, scope), index_mark(program, kernel), text,
                       width ? concat({"CUDA_SHIM_BLOCK_WIDTHS_END(", std::to_string(width), "u)\n"}) : "", "}\n"});
    }
}

}  // namespace

std::string split_name(const std::string& kernel) { return "cuda_shim_split_" + kernel; }

bool has_barriers(const ParsedProgram& program, const FunctionDeclaration& kernel) {
    if (program.synchronising) return program.unit.uses_waiting_functions() || program.synchronising->by(kernel);
    return any_instance(program, kernel, program.unit.may_synchronise(),
                        [&](NodeIndex instance) { return program.syntax->calls().waits_within(instance); });
}

bool has_open_calls(const ParsedProgram& program, const FunctionDeclaration& kernel) {
    return any_instance(program, kernel, true,
                        [&](NodeIndex instance) { return program.syntax->calls().is_open_within(instance); });
}

namespace {

// Splits the kernel and sets the form's kind. Where it cannot be split, returns no text and sets the form's reason.
std::string try_split(const ParsedProgram& program, const FunctionDeclaration& kernel, const LineMap& lines,
                      LoweredForm& form) {
    if (!program.syntax) {
        form.reason = "no Clang has parsed it";
        return "";
    }
    try {
        bool over_blocks = false;
        const std::string text = write_split(program, kernel, lines, over_blocks);
        if (text.empty() && form.has_barriers) form.reason = "its barriers are outside of its own text";
        if (!text.empty())
            form.kind = form.has_barriers ? LoweredForm::Split : over_blocks ? LoweredForm::Run : LoweredForm::Loop;
        return text;
    } catch (const NotSplit& reason) {
        form.reason = reason.what();
        return "";
    }
}

}  // namespace

LoweredForm choose_lowered_form(const ParsedProgram& program, const FunctionDeclaration& kernel, const LineMap& lines) {
    stop_if_interrupted();
    LoweredForm form;
    form.has_barriers = has_barriers(program, kernel);
    std::string text = try_split(program, kernel, lines, form);
    if (text.empty()) {
        if (form.has_barriers) return form;
        try {
            text = write_loop(program, kernel, lines.directive(kernel.body_open));
        } catch (const NotSplit& reason) {  // nothing is known of it: it runs as it is written
            form.reason = reason.what();
            return form;
        }
        form.kind = LoweredForm::Loop;
        if (!form.reason.empty()) form.reason.insert(0, "its own loops are left as they are: ");
    }
    // A first value is in braces that the program has not written (cuda_shim_first_value).
    form.text = concat({"\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wnarrowing\"\n",
                        "#line 1 \"<thread loops>\"\n", text, "\n#pragma GCC diagnostic pop\n",
                        lines.directive(kernel.body_close)});
    return form;
}

std::string inline_device_calls(const ParsedProgram& program, const LineMap& lines,
                                std::map<std::string, std::string>& reasons) {
    const TokenStream& tokens = program.unit.tokens();
    TextEdits edits;
    bool any = false;
    for (const FunctionDeclaration& kernel : program.unit.functions()) {
        if (!kernel.kernel || !kernel.defined() || kernel.method) continue;
        stop_if_interrupted();
        std::string reason;
        const std::string body = inline_calls(program.unit, kernel, program.syntax->calls(), lines, reason);
        if (!reason.empty()) reasons[kernel.scope + kernel.name] = reason;
        if (body.empty()) continue;
        any = true;
        edits.replace(tokens[kernel.body_open].begin, tokens[kernel.body_close].end,
                      concat({body, lines.directive(kernel.body_close)}));
    }
    return any ? edits.apply(tokens.source()) : "";
}

}  // namespace cuda_shim
