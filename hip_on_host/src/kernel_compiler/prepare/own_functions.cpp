#include "kernel_compiler/prepare/own_functions.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "kernel_compiler/analyse/function_facts.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/read/translation_unit.h"

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

std::string with_cuda_printf(const std::string& text) {
    if (text.find("printf") == std::string::npos || text.find("extern") == std::string::npos) return text;
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    TextEdits edits;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!function.extern_c || !function.defined() || function.method || function.name != "printf") continue;
        const Token& name = tokens[function.parameters_open - 1];
        edits.replace(name.begin, name.end, "cuda_shim_unused_printf");
    }
    return edits.apply(text);
}

std::vector<std::string> own_heap_flags(const TranslationUnit& unit) {
    std::set<std::string> flags;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!function.extern_c || !function.defined() || function.method) continue;
        if (function.name == "malloc") flags.insert("-DCUDA_SHIM_OWN_MALLOC");
        if (function.name == "free") flags.insert("-DCUDA_SHIM_OWN_FREE");
    }
    return {flags.begin(), flags.end()};
}

bool has_second_definition(const std::string& errors) {
    return errors.find("note: previous definition is here") != std::string::npos ||
           errors.find("note: previous declaration is here") != std::string::npos;
}

std::string with_preferred_functions(const std::string& text) {
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    TextEdits edits;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!is_plain_function(function)) continue;
        size_t first = function.first;
        while (tokens[first].kind == Token::Directive) ++first;
        edits.insert(tokens[first].begin, kPreferred);
    }
    return edits.apply(text);
}

std::string undefine_own_names(const std::string& text) {
    if (std::none_of(kFunctionMacros.begin(), kFunctionMacros.end(),
                     [&](std::string_view name) { return text.find(name) != std::string::npos; }))
        return "";
    const TranslationUnit unit(text);
    std::set<std::string> names;
    for (const FunctionDeclaration& function : unit.functions())
        if (function.scope.empty() && !function.method && one_of(function.name, kFunctionMacros))
            names.insert(function.name);
    std::string lines;
    for (const std::string& name : names) append(lines, {"#undef ", name, "\n"});
    return lines;
}

}  // namespace cuda_shim
