// Which of a program's variables its module defines, and the edits that make definitions of declarations.
#pragma once
#include <set>
#include <string>
#include <utility>

#include "kernel_compiler/emit/module_writer.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// In C++, `extern` and an `extern "C"` without braces only declare a variable without an initialiser. In CUDA they do
// so where programs are linked, or where the program defines the variable too; elsewhere the variable is there. In HIP
// that goes for `extern "C"` alone.
class VariableDefinitions {
public:
    VariableDefinitions(const TranslationUnit& unit, const ModuleRequest& request, TextEdits& edits)
        : unit_(unit), tokens_(unit.tokens()), request_(request), edits_(edits) {}

    // Does the module define the variable, by this declaration? A declaration that only CUDA takes for a definition
    // becomes one. Each declaration is asked for once, in the text's order.
    bool is_defined(const VariableDeclaration& variable);

private:
    bool is_defined_too(const VariableDeclaration& declared) const;
    void make_definition(const VariableDeclaration& variable);

    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    const ModuleRequest& request_;
    TextEdits& edits_;
    std::set<std::pair<std::string, std::string>> declared_;  // scopes and names of variables that are only declared
    std::set<size_t> completed_;  // tokens of declarations that were made definitions: several variables may share one
};

}  // namespace cuda_shim
