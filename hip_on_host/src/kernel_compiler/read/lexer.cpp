#include "kernel_compiler/read/lexer.h"

#include <algorithm>
#include <cstring>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool starts_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}
bool continues_identifier(char c) { return starts_identifier(c) || is_digit(c); }

// Moves over one source text; every skip_* returns the offset behind the skipped text.
class Cursor {
public:
    explicit Cursor(const std::string& text) : text_(text) {}

    char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    size_t skip_line_comment(size_t i) const {
        while (i < text_.size() && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
        return std::min(i, text_.size());
    }
    size_t skip_block_comment(size_t i) const {
        size_t close = text_.find("*/", i + 2);
        return close == std::string::npos ? text_.size() : close + 2;
    }
    size_t skip_quoted(size_t i) const {
        char quote = text_[i++];
        while (i < text_.size() && text_[i] != quote && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
        return std::min(i + 1, text_.size());
    }
    // R"delimiter( ... )delimiter"; `i` is at the quote.
    size_t skip_raw_string(size_t i) const {
        size_t open = text_.find('(', i);
        if (open == std::string::npos) return text_.size();
        std::string close = concat({")", text_.substr(i + 1, open - i - 1), "\""});
        size_t end = text_.find(close, open);
        return end == std::string::npos ? text_.size() : end + close.size();
    }
    size_t skip_number(size_t i) const {
        while (continues_identifier(at(i)) || at(i) == '.' || (at(i) == '\'' && continues_identifier(at(i + 1))) ||
               ((at(i) == '+' || at(i) == '-') && at(i - 1) && strchr("eEpP", at(i - 1))))
            ++i;
        return i;
    }
    size_t skip_identifier(size_t i) const {
        while (i < text_.size() && continues_identifier(text_[i])) ++i;
        return i;
    }
    // A whole preprocessor line, with its continuations and comments.
    size_t skip_directive(size_t i) const {
        while (i < text_.size() && text_[i] != '\n') {
            if (text_[i] == '\\')
                i += 2;
            else if (text_[i] == '/' && at(i + 1) == '*')
                i = skip_block_comment(i);
            else if (text_[i] == '/' && at(i + 1) == '/')
                i = skip_line_comment(i);
            else
                ++i;
        }
        return std::min(i, text_.size());
    }
    // The longest operator at `i`. Two closing angle brackets stay two tokens, because they may close templates.
    size_t punctuator_length(size_t i) const {
        static const char* const operators[] = {"<<=", "...", "->*", "::", "->", "++", "--", "<<",
                                                "<=",  "==",  "!=",  ">=", "&&", "||", "+=", "-=",
                                                "*=",  "/=",  "%=",  "&=", "|=", "^=", "##", ".*"};
        for (const char* op : operators)
            if (text_.compare(i, strlen(op), op) == 0) return strlen(op);
        return 1;
    }

private:
    const std::string& text_;
};

bool is_encoding_prefix(std::string_view word) {
    return word == "L" || word == "u" || word == "U" || word == "u8" || word == "R" || word == "LR" || word == "uR" ||
           word == "UR" || word == "u8R";
}

}  // namespace

TokenStream::TokenStream(std::string source) : source_(std::move(source)) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < source_.size(); ++i)
        if (source_[i] == '\n') line_starts_.push_back(i + 1);
    scan();
    pair_brackets();
}

void TokenStream::scan() {
    Cursor cursor(source_);
    bool line_start = true;  // a # is a directive only as the first thing of its line
    for (size_t i = 0; i < source_.size();) {
        const char c = source_[i];
        if (c == '\n') {
            line_start = true;
            ++i;
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++i;
            continue;
        }
        if (c == '\\' && (cursor.at(i + 1) == '\n' || cursor.at(i + 1) == '\r')) {
            i += 2;
            continue;
        }
        if (c == '/' && cursor.at(i + 1) == '/') {
            i = cursor.skip_line_comment(i);
            continue;
        }
        if (c == '/' && cursor.at(i + 1) == '*') {
            i = cursor.skip_block_comment(i);
            continue;
        }
        const size_t begin = i;
        Token::Kind kind = Token::Punctuator;
        if (c == '#' && line_start) {
            kind = Token::Directive;
            i = cursor.skip_directive(i);
        } else if (starts_identifier(c)) {
            kind = Token::Identifier;
            i = cursor.skip_identifier(i);
            std::string_view word(source_.data() + begin, i - begin);
            if ((cursor.at(i) == '"' || cursor.at(i) == '\'') && is_encoding_prefix(word)) {
                kind = Token::String;
                i = word.back() == 'R' ? cursor.skip_raw_string(i) : cursor.skip_quoted(i);
            }
        } else if (is_digit(c) || (c == '.' && is_digit(cursor.at(i + 1)))) {
            kind = Token::Number;
            i = cursor.skip_number(i + 1);
        } else if (c == '"' || c == '\'') {
            kind = Token::String;
            i = cursor.skip_quoted(i);
        } else {
            i += cursor.punctuator_length(i);
        }
        line_start = false;
        tokens_.push_back({kind, begin, i, npos});
    }
}

void TokenStream::pair_brackets() {
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].kind != Token::Punctuator || tokens_[i].end - tokens_[i].begin != 1) continue;
        const char c = source_[tokens_[i].begin];
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(i);
        } else if (c == ')' || c == ']' || c == '}') {
            const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (open.empty() || source_[tokens_[open.back()].begin] != opening)
                return;  // not C++: the compiler will say so
            tokens_[i].partner = open.back();
            tokens_[open.back()].partner = i;
            open.pop_back();
        }
    }
}

std::string_view TokenStream::text(size_t index) const {
    if (index >= tokens_.size()) return {};
    return std::string_view(source_).substr(tokens_[index].begin, tokens_[index].end - tokens_[index].begin);
}

std::string TokenStream::slice(size_t begin, size_t end) const {
    if (begin >= end || begin >= tokens_.size()) return {};
    return source_.substr(tokens_[begin].begin, tokens_[std::min(end, tokens_.size()) - 1].end - tokens_[begin].begin);
}

size_t TokenStream::closing_angle(size_t index, size_t end, bool of_head) const {
    int depth = 0;
    for (size_t i = index; i < end && i < tokens_.size(); ++i) {
        std::string_view token = text(i);
        if (token == "<") {
            ++depth;
        } else if (token == ">") {
            if (--depth == 0) return i;
        } else if (token == "(" || token == "[" || token == "{") {
            if (closing(i) == npos) return npos;
            i = closing(i);
        } else if (token == ")" || token == "]" || token == "}" || token == ";" ||
                   (!of_head && (token == "&&" || token == "||"))) {
            return npos;  // it was a comparison
        }
    }
    return npos;
}

size_t TokenStream::line(size_t index) const {
    const size_t offset = index < tokens_.size() ? tokens_[index].begin : source_.size();
    return static_cast<size_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) -
                               line_starts_.begin());
}

void TextEdits::replace(size_t begin, size_t end, std::string replacement) {
    edits_.emplace(begin, Edit{end, std::move(replacement)});
}

std::string TextEdits::apply(const std::string& text) const {
    std::string result;
    size_t at = 0;
    for (const auto& [begin, edit] : edits_) {
        result.append(text, at, begin - at);
        result += edit.replacement;
        at = edit.end;
    }
    result.append(text, at, std::string::npos);
    return result;
}

}  // namespace cuda_shim
