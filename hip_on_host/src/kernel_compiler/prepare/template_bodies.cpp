#include "kernel_compiler/prepare/template_bodies.h"

#include <set>
#include <vector>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {
namespace {

struct ErrorPlace {
    std::string file;
    size_t line;
};

// The places of "file:12:5: error: …", which clang and g++ print alike.
std::vector<ErrorPlace> places_of_errors(const std::string& errors) {
    std::vector<ErrorPlace> places;
    for (size_t begin = 0; begin < errors.size();) {
        const size_t end = std::min(errors.find('\n', begin), errors.size());
        const std::string line = errors.substr(begin, end - begin);
        begin = end + 1;
        const size_t message = std::min(line.find(": error: "), line.find(": fatal error: "));
        if (message == std::string::npos) continue;
        const size_t column = line.rfind(':', message - 1);
        const size_t number = column == std::string::npos || column == 0 ? column : line.rfind(':', column - 1);
        if (number == std::string::npos || !is_digit(line[number + 1])) continue;
        places.push_back({line.substr(0, number), std::stoul(line.substr(number + 1, column - number - 1))});
    }
    return places;
}

// Messages name a header that the program brought by its name alone, and line markers by its path.
bool is_same_file(const std::string& marker, const std::string& named) {
    if (marker == named) return true;
    return ends_with(marker, named) && marker[marker.size() - named.size() - 1] == '/';
}

// The first token of a body, or of a constructor's initialisers before it.
size_t end_of_declarator(const TokenStream& tokens, const FunctionDeclaration& function) {
    for (size_t i = function.parameters_close + 1; i < function.body_open; ++i) {
        if (tokens.is(i, ":") || tokens.is(i, "try")) return i;
        const size_t close = tokens.closing(i);
        if (close != TokenStream::npos && close > i) i = close;
    }
    return function.body_open;
}

// A body for a template that may not be instantiated. The size of a local class depends on the template's parameters,
// so that compilers compare it at an instantiation.
constexpr const char* kRefusedBody =
    "{ struct cuda_shim_local {}; static_assert(sizeof(cuda_shim_local) == 0, \"this template has an error\"); }";

bool is_friend(const TokenStream& tokens, const FunctionDeclaration& function) {
    for (size_t i = function.first; i < function.parameters_open; ++i)
        if (tokens.is(i, "friend")) return true;
    return false;
}

}  // namespace

std::string without_wrong_template_bodies(const std::string& text, const std::string& errors,
                                          const std::string& program_name) {
    const std::vector<ErrorPlace> places = places_of_errors(errors);
    if (places.empty() || text.find("template") == std::string::npos) return "";
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    const LineMap lines(tokens, program_name);
    std::set<size_t> wrong;
    for (const ErrorPlace& place : places) {
        bool inside = false;
        for (size_t i = 0; i < unit.functions().size(); ++i) {
            const FunctionDeclaration& function = unit.functions()[i];
            if (!function.in_template || !function.defined() || is_friend(tokens, function)) continue;
            const SourceLine begin = lines.source_line(function.body_open),
                             end = lines.source_line(function.body_close);
            if (!is_same_file(begin.file, place.file) || place.line < begin.line || end.line < place.line) continue;
            wrong.insert(i);
            inside = true;
        }
        if (!inside) return "";
    }
    TextEdits edits;
    for (const size_t i : wrong) {
        const FunctionDeclaration& function = unit.functions()[i];
        edits.replace(tokens[end_of_declarator(tokens, function)].begin, tokens[function.body_close].end, kRefusedBody);
    }
    return edits.apply(text);
}

}  // namespace cuda_shim
