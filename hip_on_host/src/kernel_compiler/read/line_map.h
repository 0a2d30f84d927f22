// The lines that tokens of expanded text come from, so that generated text can name them.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/read/lexer.h"

namespace cuda_shim {

struct SourceLine {
    std::string file;
    size_t line;
};

class LineMap {
public:
    // Reads the line markers in the text; the text before the first one is line by line the program itself.
    LineMap(const TokenStream& tokens, const std::string& program_name);

    // "\n#line 12 \"file\"\n", to put before the text of this token's line.
    std::string directive(size_t token) const;
    SourceLine source_line(size_t token) const;
    // "file(12)", as NVRTC names the token's line.
    std::string line(size_t token) const;
    // "file:12:5", where the token is.
    std::string place(size_t token) const;

private:
    struct CandidateMarker {
        size_t text_line;    // the first line that it speaks of
        size_t source_line;  // and its number there
        std::string file;    // as in a string literal
    };
    const CandidateMarker& marker_before(size_t line) const;

    const TokenStream& tokens_;
    std::vector<CandidateMarker> markers_;
};

}  // namespace cuda_shim
