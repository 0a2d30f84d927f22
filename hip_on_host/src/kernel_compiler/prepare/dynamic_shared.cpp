#include "kernel_compiler/prepare/dynamic_shared.h"

#include <algorithm>

#include "kernel_compiler/read/translation_unit.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr size_t npos = TokenStream::npos;

struct SharedDeclaration {
    size_t begin, end;  // end: index of the semicolon
};

// Is there both `extern` and `__shared__`?
bool is_extern_shared(const TokenStream& tokens, size_t begin, size_t end) {
    bool is_extern = false, is_shared = false;
    for (size_t i = begin; i < end; ++i) {
        is_extern = is_extern || tokens.is(i, "extern");
        is_shared = is_shared || tokens.is(i, "__shared__");
    }
    return is_extern && is_shared;
}

// Every `extern ... __shared__ ...;` of the program.
std::vector<SharedDeclaration> find_declarations(const TokenStream& tokens) {
    std::vector<SharedDeclaration> declarations;
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens.is(i, "extern")) continue;
        size_t end = i;
        while (end < tokens.size() && !tokens.is(end, ";") && !tokens.is(end, "{") && !tokens.is(end, "}")) ++end;
        if (tokens.is(end, ";") && is_extern_shared(tokens, i, end)) declarations.push_back({i, end});
    }
    return declarations;
}

const FunctionDeclaration* enclosing_function(const TranslationUnit& unit, size_t token) {
    for (const FunctionDeclaration& function : unit.functions())
        if (function.defined() && token > function.body_open && token < function.body_close) return &function;
    return nullptr;
}

bool mentions(const TokenStream& tokens, size_t begin, size_t end, std::string_view name) {
    for (size_t i = begin; i < end; ++i)
        if (tokens.is(i, name) && !tokens.is(i - 1, ".") && !tokens.is(i - 1, "->") && !tokens.is(i - 1, "::"))
            return true;
    return false;
}

// Blanks with the line ends kept, so that lines stay where they are.
std::string blank(const std::string& text) {
    return std::string(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

// Index of the declared name's token where it is an array of unknown bound, or npos.
size_t dynamic_shared_name(const TokenStream& tokens, size_t begin, size_t end) {
    for (size_t i = begin + 1; i + 1 < end; ++i)
        if (tokens.is(i, "[") && tokens.is(i + 1, "]") && tokens.is_identifier(i - 1)) return i - 1;
    return npos;
}

// The declaration that takes its place; empty when it has a shape that is not understood.
std::string dynamic_shared_pointer(const TokenStream& tokens, size_t begin, size_t end) {
    const size_t name = dynamic_shared_name(tokens, begin, end);
    if (name == npos) return "";
    std::string type;
    for (size_t i = begin; i < name; ++i) {
        if (tokens.is(i, "extern") || tokens.is(i, "__shared__")) continue;
        if (tokens.is(i, "__align__") || tokens.is(i, "alignas") || tokens.is(i, "__attribute__")) {
            i = tokens.closing(i + 1);  // the launch's memory is aligned for everything
            if (i == npos) return "";
            continue;
        }
        append(type, {tokens.text(i), " "});
    }
    const std::string word(tokens.text(name));
    const std::string further = tokens.slice(name + 3, end);  // further bounds of a multi-dimensional array
    const std::string pointer = further.empty() ? type + "*" : concat({type, "(*)", further});
    const std::string declarator =
        further.empty() ? concat({type, "* const ", word}) : concat({type, "(* const ", word, ")", further});
    return concat({declarator, " = (", pointer, ")cuda_shim_dynamic_shared()"});
}

}  // namespace

std::string with_dynamic_shared(const std::string& text) {
    if (text.find("__shared__") == std::string::npos || text.find("extern") == std::string::npos) return text;
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    TextEdits edits;
    for (const SharedDeclaration& declaration : find_declarations(tokens)) {
        if (dynamic_shared_name(tokens, declaration.begin, declaration.end) == npos) {
            // Its size is known: CUDA takes the declaration for a definition.
            edits.replace(tokens[declaration.begin].begin, tokens[declaration.begin].end, "");
            continue;
        }
        const std::string pointer = dynamic_shared_pointer(tokens, declaration.begin, declaration.end);
        if (pointer.empty()) continue;
        const size_t from = tokens[declaration.begin].begin, to = tokens[declaration.end].begin;
        const std::string lines = blank(tokens.source().substr(from, to - from));
        if (enclosing_function(unit, declaration.begin)) {
            edits.replace(from, to, pointer + lines);
            continue;
        }
        edits.replace(from, to, lines);
        const std::string_view name = tokens.text(dynamic_shared_name(tokens, declaration.begin, declaration.end));
        for (const FunctionDeclaration& function : unit.functions()) {
            if (!function.defined() || mentions(tokens, function.parameters_open, function.parameters_close, name))
                continue;
            if (!mentions(tokens, function.body_open, function.body_close, name)) continue;
            // The body is a block within, where a variable of that name may hide the memory.
            edits.insert(tokens[function.body_open].end, concat({" ", pointer, "; {"}));
            edits.insert(tokens[function.body_close].begin, "}");
        }
    }
    return edits.apply(text);
}

}  // namespace cuda_shim
