#include <algorithm>
#include <array>
#include <cstring>

#include "hiprtc/split/statement.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool is_arithmetic_keyword(std::string_view word) {
    static constexpr std::array<std::string_view, 12> words = {
        "void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "wchar_t", "__int128"};
    return one_of(word, words);
}

bool is_named_type(std::string_view word) {
    static constexpr std::array<std::string_view, 24> words = {
        "size_t",   "ptrdiff_t", "int8_t",   "int16_t",   "int32_t", "int64_t", "uint8_t",  "uint16_t",
        "uint32_t", "uint64_t",  "intptr_t", "uintptr_t", "uint",    "ushort",  "uchar",    "ulong",
        "dim3",     "half",      "half2",    "__half",    "__half2", "clock_t", "longlong", "ulonglong"};
    return one_of(word, words);
}

// float4, uint2, longlong1 ...
bool is_vector_type(std::string_view word) {
    if (word.empty() || word.back() < '1' || word.back() > '4') return false;
    static constexpr std::array<std::string_view, 12> elements = {
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double"};
    return one_of(word.substr(0, word.size() - 1), elements);
}

bool is_qualifier(std::string_view word) {
    static constexpr std::array<std::string_view, 5> words = {"const", "volatile", "register", "typename", "struct"};
    return one_of(word, words);
}

bool is_pointer_part(std::string_view word) {
    static constexpr std::array<std::string_view, 7> words = {
        "*", "&", "&&", "const", "volatile", "__restrict__", "__restrict"};
    return one_of(word, words);
}

// Declarations that are the same for all threads, and stay as they are.
bool is_verbatim_word(std::string_view word) {
    static constexpr std::array<std::string_view, 8> words = {"__shared__", "static",        "constexpr", "typedef",
                                                              "using",      "static_assert", "extern",    "enum"};
    return one_of(word, words);
}

}  // namespace

bool is_builtin_type(std::string_view word) {
    return is_arithmetic_keyword(word) || is_named_type(word) || is_vector_type(word);
}

// Behind the template arguments that may follow a type's name.
size_t StatementParser::template_arguments_end(size_t at, size_t end) const {
    if (!tokens_.is(at, "<")) return at;
    const size_t close = tokens_.closing_angle(at, end);
    return close == TokenStream::npos ? at : close + 1;
}

bool StatementParser::begins_declaration(size_t begin, size_t end) const {
    const std::string_view first = tokens_.text(begin);
    if (is_builtin_type(first)) return !tokens_.is(begin + 1, "(") && !tokens_.is(begin + 1, "{");
    if (is_qualifier(first) || is_verbatim_word(first) || first == "auto" || first == "class" || first == "union" ||
        first == "__align__" || first == "alignas" || first == "__attribute__")
        return true;
    if (!tokens_.is_identifier(begin) || first == "delete" || first == "new" || first == "throw" || first == "return")
        return false;
    // Type name (qualified, with arguments), pointers, then a name and what may follow a declared name.
    size_t at = begin + 1;
    at = template_arguments_end(at, end);
    while (tokens_.is(at, "::") && tokens_.is_identifier(at + 1)) at = template_arguments_end(at + 2, end);
    while (at < end && is_pointer_part(tokens_.text(at))) ++at;
    if (at >= end || !tokens_.is_identifier(at)) return false;
    const std::string_view next = tokens_.text(at + 1);
    return at + 1 == end || next == "=" || next == "," || next == "(" || next == "[" || next == "{" || next == ";";
}

size_t StatementParser::parse_specifiers(Declaration& declaration, size_t begin, size_t end) const {
    size_t at = begin;
    bool type_seen = false;
    while (at < end) {
        const std::string_view word = tokens_.text(at);
        if (word == "__align__" || word == "alignas" || word == "__attribute__") {
            at = closing(at + 1) + 1;
        } else if (is_qualifier(word)) {
            ++at;
        } else if (word == "auto") {
            declaration.is_auto = type_seen = true;
            ++at;
        } else if (is_arithmetic_keyword(word)) {
            type_seen = true;
            ++at;
        } else if (!type_seen && tokens_.is_identifier(at)) {
            type_seen = true;
            at = template_arguments_end(at + 1, end);
            while (tokens_.is(at, "::") && tokens_.is_identifier(at + 1)) at = template_arguments_end(at + 2, end);
        } else {
            break;
        }
    }
    declaration.specifiers = {begin, at};
    return at;
}

// Reads one declarator; returns the index of the comma or the end behind it.
size_t StatementParser::parse_declarator(Declaration& declaration, size_t at, size_t end) const {
    Declarator declarator;
    for (; at < end && is_pointer_part(tokens_.text(at)); ++at) {
        declarator.reference = declarator.reference || tokens_.is(at, "&") || tokens_.is(at, "&&");
        append(declarator.pointer, {tokens_.text(at), " "});
    }
    if (!tokens_.is_identifier(at)) throw NotSplit("a declaration that is not understood");
    declarator.name = at++;
    declarator.bounds.begin = at;
    while (tokens_.is(at, "[")) at = closing(at) + 1;
    declarator.bounds.end = at;
    if (tokens_.is(at, "(") || tokens_.is(at, "{")) {
        declarator.initialiser = tokens_.is(at, "(") ? Declarator::Parenthesised : Declarator::Braced;
        declarator.initial = {at + 1, closing(at)};
        at = closing(at) + 1;
    } else if (tokens_.is(at, "=")) {
        const size_t begin = ++at;
        for (; at < end && !tokens_.is(at, ","); ++at) {
            if (tokens_.is(at, "(") || tokens_.is(at, "[") || tokens_.is(at, "{"))
                at = closing(at);
            else if (tokens_.is(at, "<"))
                at = std::max(at + 1, template_arguments_end(at, end)) - 1;
        }
        declarator.initialiser = Declarator::Assigned;
        declarator.initial = {begin, at};
    }
    declaration.declarators.push_back(declarator);
    return at;
}

std::unique_ptr<Declaration> StatementParser::declaration(size_t begin, size_t end) const {
    auto made = std::make_unique<Declaration>();
    for (size_t i = begin; i < end; ++i) {
        const std::string_view word = tokens_.text(i);
        if (word == "=" || word == "(" || word == "[" || word == "{") break;
        made->is_shared = made->is_shared || word == "__shared__";
        if (is_verbatim_word(word)) made->kind = Declaration::Verbatim;
    }
    // `struct { ... } name;` and `struct Name { ... };`
    for (size_t i = begin; i < end && made->kind == Declaration::Variables; ++i)
        if ((tokens_.is(i, "struct") || tokens_.is(i, "class") || tokens_.is(i, "union")) &&
            (tokens_.is(i + 1, "{") || tokens_.is(i + 2, "{") || tokens_.is(i + 2, ":")))
            made->kind = Declaration::Verbatim;
    if (made->kind == Declaration::Verbatim) {
        made->specifiers = {begin, end};
        // The names matter all the same: they may hide others.
        for (size_t i = begin + 1; i < end; ++i) {
            const bool named =
                tokens_.is_identifier(i) && !is_builtin_type(tokens_.text(i)) && !is_verbatim_word(tokens_.text(i));
            const std::string_view next = i + 1 == end ? ";" : tokens_.text(i + 1);
            if (named && (next == "=" || next == "[" || next == "," || next == ";" || next == "(" || next == "{")) {
                Declarator declarator;
                declarator.name = i;
                made->declarators.push_back(declarator);
                while (i + 1 < end && !tokens_.is(i + 1, ",")) {
                    ++i;
                    if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{")) i = closing(i);
                }
            }
        }
        return made;
    }
    size_t at = parse_specifiers(*made, begin, end);
    while (at < end) {
        at = parse_declarator(*made, at, end);
        if (at < end && !tokens_.is(at, ",")) throw NotSplit("a declaration that is not understood");
        ++at;
    }
    if (made->declarators.empty()) throw NotSplit("a declaration that is not understood");
    return made;
}

}  // namespace cuda_shim
