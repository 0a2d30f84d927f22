#include "kernel_compiler/prepare/kernel_declarations.h"

#include <array>
#include <vector>

#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {
namespace {

bool is_inline(std::string_view word) {
    static constexpr std::array<std::string_view, 4> words = {"inline", "__inline", "__inline__", "__forceinline__"};
    return one_of(word, words);
}

// Is the `auto` of a parameter behind the name of a concept? Such a parameter stays as it is.
bool is_constrained(const TokenStream& tokens, size_t word) {
    static constexpr std::array<std::string_view, 2> qualifiers = {"const", "volatile"};
    if (tokens.is(word - 1, ">")) return true;
    return tokens.is_identifier(word - 1) && !one_of(tokens.text(word - 1), qualifiers);
}

// The words `auto` among a function's parameters, none of default arguments and types of functions.
std::vector<size_t> deduced_parameters(const TokenStream& tokens, const FunctionDeclaration& function) {
    std::vector<size_t> words;
    for (size_t i = function.parameters_open + 1; i < function.parameters_close; ++i) {
        const size_t close = tokens.closing(i);
        if (close != TokenStream::npos && close > i)
            i = close;
        else if (tokens.is(i, "auto") && !is_constrained(tokens, i))
            words.push_back(i);
    }
    return words;
}

void name_deduced_parameters(const TokenStream& tokens, const FunctionDeclaration& function, TextEdits& edits) {
    std::string parameters;
    for (size_t word : deduced_parameters(tokens, function)) {
        const std::string name = concat({"cuda_shim_auto_", std::to_string(word)});
        append(parameters, {parameters.empty() ? "" : ", ", tokens.is(word + 1, "...") ? "class... " : "class ", name});
        edits.replace(tokens[word].begin, tokens[word].end, name);
    }
    if (parameters.empty()) return;
    if (function.has_template_parameters)
        edits.insert(tokens[tokens.closing_angle(function.first + 1, function.parameters_open, true)].begin,
                     ", " + parameters);
    else
        edits.insert(tokens[function.first].begin, concat({"template <", parameters, "> "}));
}

}  // namespace

std::string with_plain_kernel_declarations(const std::string& text) {
    if (text.find("__global__") == std::string::npos) return text;
    if (text.find("inline") == std::string::npos && text.find("auto") == std::string::npos) return text;
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    TextEdits edits;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!function.kernel || function.explicit_instantiation) continue;
        for (size_t i = function.first; i < function.parameters_open; ++i)
            if (is_inline(tokens.text(i))) edits.replace(tokens[i].begin, tokens[i].end, "");
        name_deduced_parameters(tokens, function, edits);
    }
    return edits.apply(text);
}

}  // namespace cuda_shim
