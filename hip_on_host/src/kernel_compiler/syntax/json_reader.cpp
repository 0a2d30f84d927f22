#include "kernel_compiler/syntax/json_reader.h"

#include <cstdint>
#include <cstring>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool ends_word(char c) { return is_blank(c) || c == ',' || c == '}' || c == ']'; }

// Behind the blanks that stand at a place. Most of the text is indentation, so they are taken eight at a time.
size_t behind_blanks(const std::string& text, size_t at) {
    constexpr uint64_t kSpaces = 0x2020202020202020;
    while (at < text.size() && is_blank(text[at])) {
        ++at;
        for (uint64_t eight; at + sizeof eight <= text.size(); at += sizeof eight) {
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if (eight != kSpaces) break;
        }
    }
    return at;
}

}  // namespace

// Forgets the text before the last string, and waits for more.
bool JsonReader::refill() {
    text_.erase(0, last_);
    at_ -= last_;
    last_ = 0;
    return read_chunk_(text_);
}

char JsonReader::peek() {
    do {
        at_ = behind_blanks(text_, at_);
        if (at_ < text_.size()) return text_[at_];
    } while (refill());
    return '\0';
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
    last_ = at_;
    while (true) {
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ < text_.size()) break;
        if (!refill()) throw JsonError("a string without its end in JSON");
    }
    length_ = at_++ - last_;
    return last();
}

std::string_view JsonReader::word() {
    peek();
    last_ = at_;
    do {
        while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
    } while (at_ == text_.size() && refill());
    length_ = at_ - last_;
    if (length_ == 0) throw JsonError("a value is missing in JSON");
    return last();
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
