// A C++ lexer for kernel sources: finds words and brackets, so that text can be copied and edited.
//
// Clang decides the meaning of words: it prints its syntax tree (syntax/program_syntax.h), whose places are turned into
// tokens. Macros are gone already: the compiler's own preprocessor expands them first (preprocess.h).
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_shim {

struct Token {
    enum Kind { Identifier, Number, String, Punctuator, Directive };
    Kind kind;
    size_t begin, end;  // offsets into the source
    size_t partner;     // of a bracket: the index of the one that closes or opens it, or npos
};

struct Range {
    size_t begin = 0, end = 0;  // token indices
    bool empty() const { return begin >= end; }
    bool holds(size_t token) const { return token >= begin && token < end; }
    bool holds(Range other) const { return other.begin >= begin && other.end <= end; }
};

class TokenStream {
public:
    static constexpr size_t npos = static_cast<size_t>(-1);

    explicit TokenStream(std::string source);

    const std::string& source() const { return source_; }
    size_t size() const { return tokens_.size(); }
    const Token& operator[](size_t index) const { return tokens_[index]; }
    std::string_view text(size_t index) const;
    bool is(size_t index, std::string_view text) const { return index < size() && this->text(index) == text; }
    bool is_identifier(size_t index) const { return index < size() && tokens_[index].kind == Token::Identifier; }

    // The source between the first character of token `begin` and the last of token `end - 1`, as it was written.
    std::string slice(size_t begin, size_t end) const;
    // The index of the bracket that closes an opening ( [ or {; npos when none does.
    size_t closing(size_t index) const { return index < size() ? tokens_[index].partner : npos; }
    // The index behind a token, or behind the bracket that closes it.
    size_t behind(size_t index) const {
        const size_t close = closing(index);
        return close != npos && close > index ? close + 1 : index + 1;
    }
    // The > that closes the < which opens a template's parameters or arguments, or npos if none does before `end`.
    // `of_head`: in a template's head && and || are parts of an argument; elsewhere they show that the < was a
    // comparison.
    size_t closing_angle(size_t index, size_t end, bool of_head = false) const;
    // Line in the text as it was handed in (1-based), for line directives.
    size_t line(size_t index) const;

private:
    void scan();
    void pair_brackets();

    std::string source_;
    std::vector<Token> tokens_;
    std::vector<size_t> line_starts_;
};

// Replaces pieces of a text; pieces must not overlap.
class TextEdits {
public:
    void replace(size_t begin, size_t end, std::string replacement);
    void insert(size_t at, std::string text) { replace(at, at, std::move(text)); }
    std::string apply(const std::string& text) const;

private:
    struct Edit {
        size_t end;
        std::string replacement;
    };
    std::multimap<size_t, Edit> edits_;  // by where they begin; of those at one place, the first made comes first
};

}  // namespace cuda_shim
