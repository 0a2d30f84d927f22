#include "kernel_compiler/syntax/text_reader.h"

#include "common/log.h"
#include "kernel_compiler/build/diagnostics.h"
#include "kernel_compiler/build/precompiled_prelude.h"
#include "kernel_compiler/emit/name_expression.h"

namespace cuda_shim {

ReadText::ReadText(const std::string& text, const CompileContext& context, CompileSteps& steps)
    : context_(context), steps_(steps), unit_(text, context.options.relocatable) {
    if (syntax_compiler().is_available()) {
        syntax_ = read(unit_, "read.cpp");
    } else {
        log(LogLevel::Info, "%s: %s", context.program.name.c_str(), syntax_compiler().problem.c_str());
    }
    if (!syntax_) synchronising_ = std::make_unique<const WordReachability>(unit_, is_synchronising_word);
}

std::unique_ptr<const ProgramSyntax> ReadText::read(const TranslationUnit& unit, const char* file) {
    const CompileSteps::Timed timed(steps_, CompileSteps::Reading);
    const CompileOptions& options = context_.options;
    const std::string& name = context_.program.name;
    const std::vector<std::string> command = steps_.prelude_command(syntax_compiler(), unit);
    const std::string further = ask_for_instantiations(context_.expressions);
    const std::string source = concat({context_.scratch, "/", file});
    std::string messages;
    std::unique_ptr<const ProgramSyntax> syntax;
    IncludedPrelude prelude(syntax_compiler(), command, context_.scratch);
    do {
        std::vector<std::string> parse_command = command;
        if (options.cuda && !options.quiet) show_warnings(parse_command);
        if (options.cuda) show_refused_forms(options, parse_command);
        add_words(parse_command, prelude.words());
        add_words(parse_command, {"-include", context_.headers.ast_pass});
        syntax = read_program(parse_command, unit.tokens(), further, source, messages);
        if (syntax && warnings_.empty()) warnings_ = warnings_about(messages, name, source);
    } while (!syntax && prelude.was_refused(messages));
    if (!syntax) log(LogLevel::Debug, "%s cannot be read: %s", name.c_str(), messages.c_str());
    if (!syntax) errors_ = messages;
    return syntax;
}

void ReadText::inline_calls(PassWatch& watch) {
    if (!syntax_ || !context_.rewrites_kernels()) return;
    const LineMap lines(unit_.tokens(), context_.program.name);
    const std::string text = inline_device_calls({unit_, syntax_.get()}, lines, not_inlined_);
    if (watch.saw(kInlinedCallsPass, text.empty() ? unit_.tokens().source() : text) || text.empty()) return;
    inlined_ = std::make_unique<const TranslationUnit>(text, context_.options.relocatable);
    inlined_syntax_ = read(*inlined_, "written-out.cpp");
    if (!inlined_syntax_ || inlined_->functions().size() != unit_.functions().size()) inlined_.reset();
}

}  // namespace cuda_shim
