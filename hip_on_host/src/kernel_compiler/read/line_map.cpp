#include "kernel_compiler/read/line_map.h"

#include <stdlib.h>

#include "kernel_compiler/read/preprocess.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

LineMap::LineMap(const TokenStream& tokens, const std::string& program_name) : tokens_(tokens) {
    markers_.push_back({1, 1, escape_for_literal(program_name)});
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != Token::Directive) continue;
        const std::string line(tokens.text(i));
        const size_t number = line.find_first_not_of(" \t", line.compare(0, 5, "#line") == 0 ? 5 : 1);
        if (number == std::string::npos || line[number] < '0' || line[number] > '9') continue;
        CandidateMarker marker{tokens.line(i) + 1, strtoul(line.c_str() + number, nullptr, 10), markers_.back().file};
        const size_t open = line.find('"', number), close = line.rfind('"');
        if (open != std::string::npos && close > open) marker.file = line.substr(open + 1, close - open - 1);
        markers_.push_back(marker);
    }
}

const LineMap::CandidateMarker& LineMap::marker_before(size_t line) const {
    const CandidateMarker* last = &markers_.front();
    for (const CandidateMarker& marker : markers_)
        if (marker.text_line <= line) last = &marker;
    return *last;
}

SourceLine LineMap::source_line(size_t token) const {
    const size_t line = tokens_.line(token);
    const CandidateMarker& last = marker_before(line);
    return {last.file, line - last.text_line + last.source_line};
}

std::string LineMap::directive(size_t token) const {
    const SourceLine at = source_line(token);
    return concat({"\n#line ", std::to_string(at.line), " \"", at.file, "\"\n"});
}

std::string LineMap::line(size_t token) const {
    const SourceLine at = source_line(token);
    return concat({at.file, "(", std::to_string(at.line), ")"});
}

std::string LineMap::place(size_t token) const {
    const SourceLine at = source_line(token);
    const size_t begin = tokens_[token].begin;
    const size_t line_end = begin ? tokens_.source().rfind('\n', begin - 1) : std::string::npos;
    const size_t column = line_end == std::string::npos ? begin + 1 : begin - line_end;
    return concat({at.file, ":", std::to_string(at.line), ":", std::to_string(column)});
}

}  // namespace cuda_shim
