#include "kernel_compiler/emit/kernel_parameters.h"

namespace cuda_shim {

std::string parameter_types(const TokenStream& tokens, const FunctionDeclaration& function) {
    std::string text;
    for (size_t i = function.parameters_open; i <= function.parameters_close; ++i) {
        if (tokens.is(i, "=")) i = behind_default_argument(tokens, i, function.parameters_close);
        if (!text.empty()) text += ' ';
        text += tokens.text(i);
    }
    return text;
}

std::string parameter_names(const TokenStream& tokens, const FunctionDeclaration& function) {
    const size_t end = function.parameters_close;
    std::string names, name;
    bool in_parentheses = false;
    for (size_t i = function.parameters_open + 1; i < end; ++i) {
        if (tokens.is(i, "=")) i = behind_default_argument(tokens, i, end);
        if (i >= end) break;
        const size_t close = tokens.is(i, "<") ? tokens.closing_angle(i, end) : tokens.closing(i);
        if (tokens.is(i, ",")) {
            names += name + ",";
            name.clear();
            in_parentheses = false;
        } else if (tokens.is(i, "(") && (tokens.is(i + 1, "*") || tokens.is(i + 1, "&")) && !in_parentheses) {
            in_parentheses = true;
            for (; i < close && i < end; ++i)
                if (tokens[i].kind == Token::Identifier) name = tokens.text(i);
        } else if (close != TokenStream::npos && close > i) {
            i = close;
        } else if (tokens[i].kind == Token::Identifier && !in_parentheses) {
            name = tokens.text(i);
        }
    }
    return names + name;
}

}  // namespace cuda_shim
