#include "kernel_compiler/refusals/refusal_report.h"

#include <stdlib.h>

#include <algorithm>

#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// The line of this number in a text, counted from 1.
std::string numbered_line(const std::string& text, size_t number) {
    size_t begin = 0;
    for (; number > 1 && begin != std::string::npos; --number) {
        begin = text.find('\n', begin);
        if (begin != std::string::npos) ++begin;
    }
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

RefusalReport::RefusalReport(const TokenStream& tokens, const ProgramSource& program)
    : tokens_(tokens), program_(program), lines_(tokens, program.name) {}

bool RefusalReport::is_own(size_t token) const {
    const std::string file = lines_.source_line(token).file;
    return starts_with(file, device_headers().folder) || file.find("/cuda_shim/") != std::string::npos ||
           starts_with(tokens_.text(token), "cuda_shim_");
}

void RefusalReport::add(size_t token, const std::string& words) {
    if (token < tokens_.size() && !is_own(token)) errors_.emplace(token, words);
}

std::string RefusalReport::line_of(const SourceLine& place) const {
    if (place.file == escape_for_literal(program_.name)) return numbered_line(program_.text, place.line);
    for (const auto& [name, contents] : program_.headers)
        if (place.file == name || ends_with(place.file, "/" + name)) return numbered_line(contents, place.line);
    return "";
}

// Where the token is in its line as the program has it: macros before it may have moved it.
size_t RefusalReport::column_of(size_t token, const std::string& line) const {
    const std::string place = lines_.place(token);
    const std::string_view word = tokens_.text(token);
    const size_t expanded = strtoul(place.c_str() + place.rfind(':') + 1, nullptr, 10) - 1;
    return line.compare(std::min(expanded, line.size()), word.size(), word) == 0 ? expanded : line.find(word);
}

std::string RefusalReport::text() const {
    std::string text;
    for (const auto& [token, words] : errors_) {
        append(text, {lines_.line(token), ": error: ", words, "\n"});
        const std::string line = line_of(lines_.source_line(token));
        const size_t column = column_of(token, line);
        if (!line.empty()) append(text, {"  ", line, "\n"});
        if (column != std::string::npos) append(text, {"  ", std::string(column, ' '), "^\n"});
        text += "\n";
    }
    const size_t count = errors_.size();
    append(text, {std::to_string(count), count == 1 ? " error" : " errors", " detected in the compilation of \"",
                  program_.name, "\".\n"});
    return text;
}

}  // namespace cuda_shim
