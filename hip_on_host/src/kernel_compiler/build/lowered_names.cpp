#include "kernel_compiler/build/lowered_names.h"

#include <vector>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr std::string_view kAnchorPrefix = "_ZN15cuda_shim_entryILj";

// Copies an Itanium mangled name that is part of another one, renumbering its substitutions.
//
// A mangled name refers back to its earlier components as S_, S0_, S1_ and so on. Inside an anchor's name one component
// precedes the address's own, the template cuda_shim_entry, so each reference there is one higher than in the address's
// own name. Components are walked by the grammar as far as is needed to know a reference from the letter S in a name or
// a literal.
class EmbeddedName {
public:
    explicit EmbeddedName(std::string_view text) : text_(text) {}

    // The encoding at the start of the text, up to the E that ends the literal around it. `symbol`: as the host's
    // compiler has it, `lowered`: as CUDA's compilers do.
    bool read(std::string& symbol, std::string& lowered) {
        if (peek() == 'L') linkage_mark();
        item(false);
        if (peek() == 'I') item(false);  // a template's arguments
        const bool function = peek() != 'E';
        items(false);
        if (failed_ || at_ >= text_.size()) return false;
        symbol = out_;
        for (auto piece = omitted_parts_.rbegin(); piece != omitted_parts_.rend(); ++piece)
            if (function || !piece->of_functions) out_.erase(piece->begin, piece->size);
        lowered = out_;
        return true;
    }

private:
    // Part of the symbol that CUDA's compilers do not write.
    struct OmittedPart {
        size_t begin, size;
        bool of_functions;  // and write in the names of variables
    };

    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void copy(size_t count) {
        if (at_ + count > text_.size()) {
            failed_ = true;
            return;
        }
        out_ += text_.substr(at_, count);
        at_ += count;
    }

    // Items up to the E that closes them, which stays. `arguments`: an L begins a literal there, elsewhere it marks
    // a name of internal linkage.
    void items(bool arguments) {
        while (!failed_ && at_ < text_.size() && peek() != 'E') item(arguments);
    }
    void group(size_t opening, bool arguments) {
        copy(opening);
        argument_depth_ += arguments;
        items(arguments);
        argument_depth_ -= arguments;
        copy(1);
    }

    void item(bool arguments) {
        const char c = peek(), next = peek(1);
        if (is_digit(c)) return source_name();
        switch (c) {
            case 'S':
                return substitution();
            case 'N':
            case 'F':
            case 'Z':
                return group(1, false);
            case 'I':
            case 'J':
            case 'X':
                return group(1, true);
            case 'L':
                return arguments ? literal() : linkage_mark();
            case 'A':
                return array();
            case 'C':
                return copy(is_digit(next) ? 2 : 1);
            case 'D':
                if (next == 't' || next == 'T' || next == 'O') return group(2, true);
                return copy(2);
            case 'T':
                if (next == 'n' && peek(2) == 'D' && (peek(3) == 'a' || peek(3) == 'c')) return deduced_parameter();
                if (next == 'n' || next == 'y' || next == 't' || next == 's' || next == 'u' || next == 'e')
                    return copy(2);
                return numbered();
            case 'U':
                if (next == 'l') {
                    group(2, false);
                    return number_and_underscore();
                }
                if (next == 't') {
                    copy(2);
                    return number_and_underscore();
                }
                return copy(1);
            default:
                return copy(1);
        }
    }

    void linkage_mark() {
        if (argument_depth_ == 0) omitted_parts_.push_back({out_.size(), 1, true});
        copy(1);
    }
    // Before an argument for a parameter `auto` or `decltype(auto)`, Clang 18 and newer.
    void deduced_parameter() {
        omitted_parts_.push_back({out_.size(), 4, false});
        copy(4);
    }
    void source_name() {
        size_t digits = 0, length = 0;
        while (is_digit(peek(digits)) && digits < 6) length = length * 10 + static_cast<size_t>(peek(digits++) - '0');
        copy(digits + length);
    }
    void number_and_underscore() {
        while (is_digit(peek())) copy(1);
        copy(1);
    }
    void numbered() {  // T_, T0_
        copy(1);
        while (!failed_ && peek() != '_' && at_ < text_.size()) copy(1);
        copy(1);
    }
    void array() {  // A12_f, or A<expression>_
        copy(1);
        while (is_digit(peek())) copy(1);
        if (peek() == '_') copy(1);
    }
    void literal() {
        if (peek(1) == '_' && peek(2) == 'Z') return group(3, false);
        copy(1);
        if (peek() == 'S' && peek(1) == 't') copy(2);
        item(false);                                // its type
        while (!failed_ && peek() != 'E') copy(1);  // its value
        copy(1);
    }
    void substitution() {
        const char next = peek(1);
        if (next != '_' && !is_digit(next) && !(next >= 'A' && next <= 'Z')) return copy(2);  // St, Sa, Ss ...
        size_t digits = 0;
        unsigned long value = 0;
        for (; peek(1 + digits) != '_'; ++digits) {
            const char c = peek(1 + digits);
            if (!is_digit(c) && !(c >= 'A' && c <= 'Z')) {
                failed_ = true;
                return;
            }
            value = value * 36 + static_cast<unsigned long>(is_digit(c) ? c - '0' : c - 'A' + 10);
        }
        const unsigned long index = digits == 0 ? 0 : value + 1;
        if (index == 0) {  // cuda_shim_entry itself cannot be part of the address's name
            failed_ = true;
            return;
        }
        at_ += digits + 2;
        out_ += 'S';
        if (index > 1) out_ += base36(index - 2);
        out_ += '_';
    }
    static std::string base36(unsigned long value) {
        std::string text;
        do {
            text.insert(text.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % 36]);
            value /= 36;
        } while (value);
        return text;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string out_;
    std::vector<OmittedPart> omitted_parts_;
    size_t argument_depth_ = 0;  // in lists of template arguments
    bool failed_ = false;
};

// "3foo" alone: the function has C linkage, or it is a variable of global scope; neither is mangled. Nor are static
// variables of global scope ("L3foo") with CUDA's compilers.
std::string unmangled(const std::string& encoding) {
    size_t at = encoding.compare(0, 1, "L") == 0 ? 1 : 0, length = 0;
    const size_t first_digit = at;
    while (at < encoding.size() && is_digit(encoding[at]))
        length = length * 10 + static_cast<size_t>(encoding[at++] - '0');
    return at > first_digit && at + length == encoding.size() ? encoding.substr(at) : "_Z" + encoding;
}

}  // namespace

EntryName read_anchor(std::string_view symbol) {
    EntryName name;
    if (symbol.substr(0, kAnchorPrefix.size()) != kAnchorPrefix) return name;
    size_t at = kAnchorPrefix.size();
    while (at < symbol.size() && is_digit(symbol[at]))
        name.entry = name.entry * 10 + static_cast<uint32_t>(symbol[at++] - '0');
    const size_t address = symbol.find("L_Z", at);
    if (address == std::string_view::npos || address - at > 8 || symbol.find("6anchorE") == std::string_view::npos)
        return name;
    std::string encoding, lowered;
    if (!EmbeddedName(symbol.substr(address + 3)).read(encoding, lowered)) return name;
    name.symbol = unmangled(encoding);
    name.lowered = unmangled(lowered);
    name.valid = true;
    return name;
}

std::string local_prefix(const std::string& symbol) {
    if (symbol.compare(0, 2, "_Z") == 0) return concat({"_ZZ", symbol.substr(2), "E"});
    return concat({"_ZZ", std::to_string(symbol.size()), symbol, "E"});
}

}  // namespace cuda_shim
