#include "kernel_compiler/emit/symbol_labels.h"

#include <ctype.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/program_symbol.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Functions of CUDA that the prelude defines with C linkage and symbols of C. A program that declares one means CUDA's.
bool is_of_prelude(const FunctionDeclaration& function) {
    static constexpr std::array<std::string_view, 3> names = {"printf", "malloc", "free"};
    return !function.defined() && one_of(function.name, names);
}

bool has_c_symbol(const FunctionDeclaration& function) {
    return function.extern_c && !function.method && function.template_head.empty() && function.name_arguments.empty() &&
           !function.explicit_instantiation && !starts_with(function.name, "operator") && !is_of_prelude(function);
}

// Assemblers take a few other characters in a symbol; a name with more of them keeps its spelling there.
bool is_symbol(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](unsigned char c) { return isalnum(c) || c == '_' || c == '$'; });
}

std::string label_of(const std::string& identifier) {
    const std::string name = name_of_identifier(identifier);
    return concat({" __asm__(\"", kProgramSymbol, is_symbol(name) ? name : identifier, "\")"});
}

class DeclarationText {
public:
    explicit DeclarationText(const TokenStream& tokens) : tokens_(tokens) {}

    // The function's declaration with a label, on one line, so that the lines behind it keep their numbers.
    std::string of(const FunctionDeclaration& function) {
        copy(function.first, function.parameters_open + 1);
        copy_parameters(function);
        const size_t end = function.defined() ? function.body_open : function.end - 1;
        copy_behind_parameters(function.parameters_close + 1, end);
        return concat({text_, label_of(function.name), "; "});
    }

private:
    void copy(size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
            if (tokens_[i].kind != Token::Directive)
                append(text_, {i && tokens_[i - 1].end == tokens_[i].begin ? "" : " ", tokens_.text(i)});
    }

    // Without default arguments, which a function has but once.
    void copy_parameters(const FunctionDeclaration& function) {
        for (size_t i = function.parameters_open + 1; i <= function.parameters_close;) {
            if (tokens_.is(i, "=")) {
                i = behind_default_argument(tokens_, i + 1, function.parameters_close);
                continue;
            }
            const size_t end = tokens_.behind(i);
            copy(i, end);
            i = end;
        }
    }

    // `noexcept` and a result's type; no attributes, which belong behind the label, and no further declarators.
    void copy_behind_parameters(size_t begin, size_t end) {
        for (size_t i = begin; i < end && !tokens_.is(i, ",") && !tokens_.is(i, "="); ++i) {
            const bool attribute = tokens_.is(i, "__attribute__") || tokens_.is(i, "__attribute");
            if (attribute)
                i = tokens_.closing(i + 1);
            else
                copy(i, i + 1);
            if (i == TokenStream::npos) return;
        }
    }

    const TokenStream& tokens_;
    std::string text_;
};

}  // namespace

std::string name_of_identifier(const std::string& identifier) {
    constexpr std::string_view prefix = "cuda_shim_symbol_";
    if (!starts_with(identifier, prefix)) return identifier;
    std::string name;
    for (size_t i = prefix.size(); i < identifier.size(); ++i) {
        if (identifier[i] != '_') {
            name += identifier[i];
            continue;
        }
        const size_t end = std::min(identifier.find('_', i + 1), identifier.size());
        const std::string number = identifier.substr(i + 1, end - i - 1);
        name += number.empty() ? '_' : static_cast<char>(strtoul(number.c_str(), nullptr, 16));
        i = end;
    }
    return name;
}

std::set<std::string> label_symbols(const TranslationUnit& unit, TextEdits& edits) {
    const TokenStream& tokens = unit.tokens();
    std::set<std::string> functions;
    std::set<std::pair<std::string, std::string>> labelled;  // scopes and names
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!has_c_symbol(function)) continue;
        functions.insert(function.name);
        if (!labelled.emplace(function.scope, function.name).second) continue;
        size_t first = function.first;
        while (tokens[first].kind == Token::Directive) ++first;
        edits.insert(tokens[first].begin, DeclarationText(tokens).of(function));
    }
    for (const auto* variables : {&unit.variables(), &unit.shared_variables()})
        for (const VariableDeclaration& variable : *variables)
            if (variable.scope.empty() || variable.extern_c)
                edits.insert(tokens[variable.declarator_end - 1].end, label_of(variable.name));
    return functions;
}

std::vector<std::string> unknown_to_compilers(const std::set<std::string>& functions) {
    std::vector<std::string> words;
    for (const std::string& name : functions) words.push_back("-fno-builtin-" + name);
    return words;
}

}  // namespace cuda_shim
