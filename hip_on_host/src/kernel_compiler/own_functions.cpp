#include "kernel_compiler/own_functions.h"

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// With a condition a function is an overload of its own, and better than one without (Clang). GCC ignores the
// attribute.
constexpr char kPreferred[] = "__attribute__((enable_if(true, \"\"))) ";

bool is_plain_function(const FunctionDeclaration& function) {
    return function.scope.empty() && function.template_head.empty() && function.name_arguments.empty() &&
           !function.kernel && !function.method && !function.extern_c && !function.explicit_instantiation;
}

}  // namespace

std::set<std::string> own_functions_in(const std::string& errors, const TranslationUnit& unit) {
    std::set<std::string> names;
    for (const FunctionDeclaration& function : unit.functions())
        if (is_plain_function(function) && errors.find(concat({"'", function.name, "'"})) != std::string::npos)
            names.insert(function.name);
    return names;
}

std::string with_preferred_functions(const std::string& text, const std::set<std::string>& names) {
    if (names.empty()) return text;
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    TextEdits edits;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!is_plain_function(function) || names.count(function.name) == 0) continue;
        size_t first = function.first;
        while (tokens[first].kind == Token::Directive) ++first;
        edits.insert(tokens[first].begin, kPreferred);
    }
    return edits.apply(text);
}

}  // namespace cuda_shim
