#include "hiprtc/syntax/json_reader.h"

#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool ends_word(char c) { return is_blank(c) || c == ',' || c == '}' || c == ']'; }

}  // namespace

char JsonReader::peek() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

void JsonReader::expect(char c) {
    if (peek() != c) throw JsonError(concat({"expected ", std::string_view(&c, 1), " in JSON"}));
    ++at_;
}

bool JsonReader::opens(char open, char close) {
    expect(open);
    if (peek() != close) return true;
    ++at_;
    return false;
}

bool JsonReader::continues(char close) {
    if (peek() == ',') return ++at_, true;
    expect(close);
    return false;
}

std::string_view JsonReader::string() {
    expect('"');
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) throw JsonError("a string without its end in JSON");
    return text_.substr(begin, at_++ - begin);
}

std::string_view JsonReader::word() {
    peek();
    const size_t begin = at_;
    while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
    if (at_ == begin) throw JsonError("a value is missing in JSON");
    return text_.substr(begin, at_ - begin);
}

size_t JsonReader::number() {
    size_t value = 0;
    for (char c : word()) {
        if (!is_digit(c)) throw JsonError("expected a count in JSON");
        value = value * 10 + static_cast<size_t>(c - '0');
    }
    return value;
}

bool JsonReader::boolean() { return word() == "true"; }

void JsonReader::skip() {
    switch (peek()) {
        case '{':
            return object([this](std::string_view) { skip(); });
        case '[':
            return array([this] { skip(); });
        case '"':
            string();
            return;
        default:
            word();
    }
}

}  // namespace cuda_shim
