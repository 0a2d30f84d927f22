#include "kernel_compiler/prepare/linker_directions.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_asm(std::string_view word) {
    static constexpr std::array<std::string_view, 3> words = {"asm", "__asm", "__asm__"};
    return one_of(word, words);
}

bool is_linker_attribute(std::string_view word) {
    static constexpr std::array<std::string_view, 16> words = {
        "alias",      "code_seg", "constructor",   "copy",
        "destructor", "ifunc",    "init_priority", "init_seg",
        "section",    "symver",   "target_clones", "target_version",
        "visibility", "weakref",  "no_reorder",    "externally_visible"};
    if (word.size() > 4 && starts_with(word, "__") && ends_with(word, "__")) word = word.substr(2, word.size() - 4);
    return one_of(word, words);
}

// The words behind `#pragma`, one blank between two.
std::string pragma_words(std::string_view directive) {
    std::string words;
    for (char c : directive) {
        const bool blank = c == ' ' || c == '\t';
        if (!blank)
            words += c;
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    }
    for (std::string_view beginning : {"#", " ", "pragma "})
        if (starts_with(words, beginning)) words.erase(0, beginning.size());
    return words;
}

bool is_linker_pragma(std::string_view directive) {
    static constexpr std::array<std::string_view, 14> beginnings = {
        "weak ",           "redefine_extname ", "extern_prefix ", "comment",       "section",
        "data_seg",        "bss_seg",           "const_seg",      "code_seg",      "init_seg",
        "clang attribute", "clang section",     "ident",          "GCC visibility"};
    if (directive.find("pragma") == std::string_view::npos) return false;
    const std::string words = pragma_words(directive);
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return starts_with(words, beginning); });
}

class LinkerDirections {
public:
    explicit LinkerDirections(const std::string& text) : tokens_(text), text_(text) {}

    std::string remove() {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind == Token::Directive) {
                if (is_linker_pragma(tokens_.text(i))) blank(i, i + 1);
            } else if (is_asm(tokens_.text(i))) {
                remove_asm(i);
            } else if (is_attribute_list(i)) {
                remove_attributes(i);
            }
        }
        return text_;
    }

private:
    // From token `begin` to before token `end`; lines keep their numbers.
    void blank(size_t begin, size_t end) {
        for (size_t at = tokens_[begin].begin; at < tokens_[end - 1].end; ++at)
            if (text_[at] != '\n') text_[at] = ' ';
    }

    // A label stands behind a declarator and has nothing but a text in its parentheses. Outside of functions a
    // statement is nothing to NVRTC either.
    void remove_asm(size_t i) {
        const size_t close = tokens_.closing(i + 1);
        if (!tokens_.is(i + 1, "(") || close == TokenStream::npos) return;
        const bool only_text = close == i + 3 && tokens_[i + 2].kind == Token::String;
        if (!in_function(i) || (only_text && is_behind_declarator(i))) blank(i, close + 1);
    }

    bool is_behind_declarator(size_t i) const {
        if (i == 0) return false;
        if (tokens_.is_identifier(i - 1)) return !tokens_.is(i - 1, "else") && !tokens_.is(i - 1, "do");
        if (tokens_.is(i - 1, "]")) return !(tokens_.is(i - 2, "]") && is_attribute_list(tokens_.closing(i - 1)));
        if (!tokens_.is(i - 1, ")")) return false;
        const size_t open = tokens_.closing(i - 1);
        static constexpr std::array<std::string_view, 4> statements = {"if", "for", "while", "switch"};
        return open != TokenStream::npos && open > 0 && !one_of(tokens_.text(open - 1), statements) &&
               !tokens_.is(open - 1, "constexpr");
    }

    // Within braces that are neither a namespace's nor a linkage's.
    bool in_function(size_t i) {
        for (; scanned_ < i; ++scanned_)
            if (scanned_ >= body_end_ && tokens_.is(scanned_, "{") && !opens_namespace(scanned_) &&
                tokens_.closing(scanned_) != TokenStream::npos)
                body_end_ = tokens_.closing(scanned_);
        return i < body_end_;
    }

    bool opens_namespace(size_t brace) const {
        size_t first = brace;
        while (first > 0 && tokens_[first - 1].kind != Token::Directive && !tokens_.is(first - 1, ";") &&
               !tokens_.is(first - 1, "{") && !tokens_.is(first - 1, "}"))
            --first;
        if (tokens_.is(first, "extern")) return tokens_[first + 1].kind == Token::String && first + 2 == brace;
        return tokens_.is(first, "namespace") || (tokens_.is(first, "inline") && tokens_.is(first + 1, "namespace"));
    }

    // `__attribute__((` or `[[`.
    bool is_attribute_list(size_t i) const {
        if (tokens_.is(i, "[")) return tokens_.is(i + 1, "[") && tokens_.closing(i + 1) + 1 == tokens_.closing(i);
        return (tokens_.is(i, "__attribute__") || tokens_.is(i, "__attribute")) && tokens_.is(i + 1, "(") &&
               tokens_.is(i + 2, "(");
    }

    void remove_attributes(size_t list) {
        const size_t open = tokens_.is(list, "[") ? list + 1 : list + 2;
        const size_t close = tokens_.closing(open);
        if (close == TokenStream::npos) return;
        for (size_t i = open + 1; i < close; ++i) {
            if (tokens_.is_identifier(i) && is_linker_attribute(tokens_.text(i))) {
                const size_t begin = tokens_.is(i - 1, "::") && i - 2 > open ? i - 2 : i;  // gnu::section
                blank(begin,
                      tokens_.is(i + 1, "(") && tokens_.closing(i + 1) < close ? tokens_.closing(i + 1) + 1 : i + 1);
            }
            const size_t end = tokens_.closing(i);
            if (end != TokenStream::npos && end > i) i = end;
        }
    }

    const TokenStream tokens_;
    std::string text_;
    size_t scanned_ = 0, body_end_ = 0;
};

}  // namespace

std::string without_linker_directions(const std::string& text) {
    const bool any = text.find("asm") != std::string::npos || text.find("__attribute") != std::string::npos ||
                     text.find("[[") != std::string::npos || text.find("pragma") != std::string::npos;
    return any ? LinkerDirections(text).remove() : text;
}

}  // namespace cuda_shim
