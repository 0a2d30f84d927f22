#include "kernel_compiler/read/directive_messages.h"

#include <stdlib.h>

#include <algorithm>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr std::string_view kBlanks = " \t";

// Clang says "kernel.cu:1:2: warning: text [-W#warnings]", GCC "kernel.cu:1:2: warning: #warning text [-Wcpp]".
std::string warnings_in(const std::string& errors) {
    constexpr std::string_view word = ": warning: ", directive = "#warning ";
    std::string warnings;
    for (size_t begin = 0; begin < errors.size();) {
        const size_t end = std::min(errors.find('\n', begin), errors.size());
        const std::string line = errors.substr(begin, end - begin);
        begin = end + 1;
        const size_t at = line.find(word), flag = line.rfind(" [-W");
        if (at == std::string::npos || flag == std::string::npos || flag < at + word.size()) continue;
        if (!ends_with(line, "[-W#warnings]") && !ends_with(line, "[-Wcpp]")) continue;
        const size_t column = line.rfind(':', at - 1), number = line.rfind(':', column - 1);
        if (column == std::string::npos || number == std::string::npos) continue;
        std::string text = line.substr(at + word.size(), flag - at - word.size());
        if (starts_with(text, directive)) text.erase(0, directive.size());
        append(warnings, {line.substr(0, number), "(", line.substr(number + 1, column - number - 1),
                          "): warning #1105-D: #warning directive: ", text, "\n"});
    }
    return warnings;
}

// The character of an escape sequence; `at` is behind the backslash, and afterwards behind the sequence.
char escaped_character(std::string_view text, size_t& at) {
    constexpr std::string_view letters = "abfnrtv", characters = "\a\b\f\n\r\t\v", octal = "01234567";
    const char first = text[at];
    if (const size_t letter = letters.find(first); letter != letters.npos) return ++at, characters[letter];
    if (octal.find(first) != octal.npos) {
        const size_t end = std::min({text.find_first_not_of(octal, at), at + 3, text.size()});
        const std::string digits(text.substr(at, end - at));
        at = end;
        return static_cast<char>(strtoul(digits.c_str(), nullptr, 8));
    }
    if (first == 'x') {
        const size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at + 1), text.size());
        const std::string digits(text.substr(at + 1, end - at - 1));
        at = end;
        return static_cast<char>(strtoul(digits.c_str(), nullptr, 16));
    }
    ++at;
    return first;
}

// The characters that a string literal stands for.
std::string literal_value(std::string_view literal) {
    const size_t open = literal.find('"'), close = literal.rfind('"');
    if (open == literal.npos || close <= open) return "";
    std::string_view inside = literal.substr(open + 1, close - open - 1);
    if (open > 0 && literal[open - 1] == 'R') {
        const size_t begin = inside.find('('), end = inside.rfind(')');
        return begin < end ? std::string(inside.substr(begin + 1, end - begin - 1)) : "";
    }
    std::string value;
    for (size_t at = 0; at < inside.size();) {
        if (inside[at] == '\\' && at + 1 < inside.size())
            value += escaped_character(inside, ++at);
        else
            value += inside[at++];
    }
    return value;
}

// The operand of a line `#pragma message("…")` or `#pragma message "…"`; false for any other line.
bool read_message(std::string_view line, std::string& message) {
    for (std::string_view word : {"#", "pragma", "message"}) {
        const size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
        line.remove_prefix(begin);
        if (!starts_with(line, word)) return false;
        line.remove_prefix(word.size());
    }
    const TokenStream operand{std::string(line)};
    bool has_literal = false;
    for (size_t i = 0; i < operand.size(); ++i) {
        if (operand[i].kind != Token::String) continue;
        message += literal_value(operand.text(i));
        has_literal = true;
    }
    return has_literal;
}

std::string remarks_in(const std::string& expanded_text, const std::string& program_name) {
    if (expanded_text.find("message") == std::string::npos) return "";
    const TokenStream tokens(expanded_text);
    const LineMap lines(tokens, program_name);
    std::string remarks;
    for (size_t i = 0; i < tokens.size(); ++i) {
        std::string message;
        if (tokens[i].kind == Token::Directive && read_message(tokens.text(i), message))
            append(remarks, {lines.line(i), ": remark #20200-D: #pragma message: \"", message, "\"\n"});
    }
    return remarks;
}

}  // namespace

DirectiveMessages read_directive_messages(const std::string& errors, const std::string& expanded_text,
                                          const std::string& program_name, const std::string& headers_folder) {
    DirectiveMessages messages = {warnings_in(errors), remarks_in(expanded_text, program_name)};
    if (headers_folder.empty()) return messages;
    for (std::string* text : {&messages.warnings, &messages.remarks}) replace_all(*text, headers_folder + "/", "");
    return messages;
}

std::string without_pragma_notes(const std::string& errors) {
    constexpr std::string_view note = ": note: ", directive = "#pragma message";
    std::string result;
    bool in_note = false;
    for (size_t begin = 0; begin < errors.size();) {
        const size_t end = std::min(errors.find('\n', begin), errors.size() - 1);
        const std::string line = errors.substr(begin, end + 1 - begin);
        begin = end + 1;
        const size_t at = line.find(note), directive_at = at == std::string::npos ? at : line.find(directive, at);
        // Behind the word there is at most a quotation mark. The lines of source below a note begin with a blank.
        const bool begins_note = directive_at != std::string::npos && directive_at <= at + note.size() + 3;
        in_note = begins_note || (in_note && starts_with(line, " "));
        if (!in_note) result += line;
    }
    return result;
}

}  // namespace cuda_shim
