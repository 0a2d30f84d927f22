// A prepared text as the front end reads it, and the same text with calls inlined into its kernels.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "kernel_compiler/build/compile_steps.h"
#include "kernel_compiler/compile_context.h"
#include "kernel_compiler/emit/lowered_form.h"
#include "kernel_compiler/pipeline.h"

namespace cuda_shim {

class ReadText {
public:
    // Has Clang read the text; `text` must outlive the object.
    ReadText(const std::string& text, const CompileContext& context, CompileSteps& steps);

    // Inlines device functions into the kernels that call them, where that lets the kernels be split.
    void inline_calls(PassWatch& watch);

    const TranslationUnit& unit() const { return unit_; }
    // Null where no Clang has read the text: there is none, or it found errors.
    const ProgramSyntax* syntax() const { return syntax_.get(); }
    ParsedProgram program() const { return {unit_, syntax_.get(), synchronising_.get()}; }
    // With device functions inlined; program() where none is.
    ParsedProgram with_inlined_calls() const {
        return inlined_ ? ParsedProgram{*inlined_, inlined_syntax_.get()} : program();
    }
    // Kernels, and why calls that wait were not inlined.
    const std::map<std::string, std::string>& not_inlined() const { return not_inlined_; }
    // The front end's messages: its warnings about the program, and its errors where it could not read the text.
    const std::string& warnings() const { return warnings_; }
    const std::string& errors() const { return errors_; }

private:
    std::unique_ptr<const ProgramSyntax> read(const TranslationUnit& unit, const char* file);

    const CompileContext& context_;
    CompileSteps& steps_;
    const TranslationUnit unit_;
    std::unique_ptr<const ProgramSyntax> syntax_, inlined_syntax_;
    std::unique_ptr<const TranslationUnit> inlined_;
    std::unique_ptr<const WordReachability> synchronising_;
    std::map<std::string, std::string> not_inlined_;
    std::string warnings_, errors_;
};

}  // namespace cuda_shim
