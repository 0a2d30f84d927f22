#include "kernel_compiler/read/missing_headers.h"

#include <stdlib.h>

#include <algorithm>

#include "common/word_list.h"
#include "kernel_compiler/read/preprocess.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

struct SourcePlace {
    std::string file;
    size_t line = 0;
};

std::string line_of(const std::string& text, size_t number) {
    size_t begin = 0;
    for (size_t line = 1; line < number && begin != std::string::npos; ++line) {
        begin = text.find('\n', begin);
        if (begin != std::string::npos) ++begin;
    }
    return number == 0 || begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// A caller may put a macro in the place of a file's name, with the name behind it as a comment.
std::string as_written(std::string line) {
    const size_t comment = line.find(" /* "), end = line.find(" */");
    if (comment == std::string::npos || end == std::string::npos || end < comment) return line;
    const size_t macro = line.find_last_of(" \t", comment - 1) + 1;
    return line.replace(macro, end + 3 - macro, line.substr(comment + 4, end - comment - 4));
}

std::string source_line(const ProgramSource& program, const SourcePlace& place) {
    if (place.file == program.name) return line_of(program.text, place.line);
    for (const auto& [name, contents] : program.headers)
        if (place.file == name || ends_with(place.file, "/" + name)) return line_of(contents, place.line);
    return "";
}

// The place where the preprocessor left the header: its marker names the line behind (`# 2 "kernel.cu" 2`).
SourcePlace place_in(const std::string& expanded_text, const std::string& name) {
    const std::string pragma = concat({"#pragma ", kIncludePragma, " <", name, ">"});
    size_t at = expanded_text.find(pragma);
    for (at = expanded_text.find("\n# ", at); at != std::string::npos; at = expanded_text.find("\n# ", at + 1)) {
        const std::string line = expanded_text.substr(at + 1, expanded_text.find('\n', at + 1) - at - 1);
        const size_t open = line.find('"'), close = line.rfind('"');
        if (open == close || line.find(" 2", close) == std::string::npos) continue;
        const size_t next = strtoul(line.c_str() + 2, nullptr, 10);
        return {line.substr(open + 1, close - open - 1), next ? next - 1 : 0};
    }
    return {};
}

std::string words_for(const std::string& name, SourcePlace place, const ProgramSource& program, bool folders) {
    const std::string line = as_written(source_line(program, place));
    for (const auto& [header, contents] : program.headers)
        if (ends_with(place.file, "/" + header)) place.file = header;
    const bool quoted = line.find('"') != std::string::npos;
    std::string text =
        concat({place.file.empty() ? program.name : place.file, "(", std::to_string(place.line),
                "): catastrophic error: ", quoted || folders ? "cannot" : "could not", " open source file \"", name,
                "\"", quoted || folders ? "" : " (no directories in search list)", "\n"});
    if (!line.empty()) append(text, {"  ", line, "\n  ", std::string(line.size(), ' '), "^\n"});
    append(text, {"\n1 catastrophic error detected in the compilation of \"", program.name,
                  "\".\nCompilation terminated.\n"});
    if (*package_of(name))
        append(text, {"note: ", name, " is not part of cuda-shim: pip install ", package_of(name),
                      " and give its folder of headers with -I\n"});
    return text;
}

}  // namespace

bool serves_host_header(const std::string& name) {
    static constexpr std::string_view names =
        "algorithm array assert.h atomic bit bitset cassert ccomplex cctype cfenv cfloat charconv chrono "
        "cinttypes ciso646 climits cmath compare complex concepts cstdarg cstdbool cstddef cstdint cstring "
        "ctype.h fenv.h float.h functional inttypes.h initializer_list iso646.h iterator limits limits.h "
        "math.h memory memory.h new numbers numeric optional ranges ratio source_location span stdalign.h "
        "stdarg.h stdbool.h stddef.h stdint.h string.h string_view tuple type_traits typeinfo utility "
        "variant version";
    return has_word(names, name);
}

std::string missing_header(const std::string& name, const std::string& expanded_text, const ProgramSource& program,
                           bool folders) {
    return words_for(name, place_in(expanded_text, name), program, folders);
}

// Clang says "kernel.cu:1:10: fatal error: 'x.h' file not found", GCC "kernel.cu:1:10: fatal error: x.h: No such file
// or directory".
std::string with_missing_header(const std::string& log, const ProgramSource& program, bool folders) {
    constexpr std::string_view fatal = ": fatal error: ";
    const size_t at = log.find(fatal);
    if (at == std::string::npos) return log;
    const size_t line_begin = at == 0 ? 0 : log.rfind('\n', at) + 1,
                 line_end = std::min(log.find('\n', at), log.size());
    const std::string message = log.substr(at + fatal.size(), line_end - at - fatal.size());
    std::string name;
    for (const std::string& suffix : {std::string("' file not found"), std::string(": No such file or directory")})
        if (ends_with(message, suffix)) name = message.substr(0, message.size() - suffix.size());
    if (name.empty()) return log;
    if (name[0] == '\'') name.erase(0, 1);
    const std::string location = log.substr(line_begin, at - line_begin);
    const size_t column = location.rfind(':'),
                 number = column == std::string::npos ? column : location.rfind(':', column - 1);
    if (number == std::string::npos) return log;
    return log.substr(0, line_begin) +
           words_for(name, {location.substr(0, number), strtoul(location.c_str() + number + 1, nullptr, 10)}, program,
                     folders);
}

}  // namespace cuda_shim
