// Errors that NVRTC finds in a program and the compiler of a host does not, in NVRTC's form and order.
#pragma once
#include <map>
#include <set>
#include <string>

#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/read/preprocess.h"

namespace cuda_shim {

class RefusalReport {
public:
    // `tokens`: of the program's expanded text.
    RefusalReport(const TokenStream& tokens, const ProgramSource& program);

    // An error at a token. The same words at the same token count once: templates have instances. Nothing is said of
    // headers of this runtime, nor of text that it put into the program.
    void add(size_t token, const std::string& words);
    // The number of the token's line in its file.
    std::string place(size_t token) const { return std::to_string(lines_.source_line(token).line); }
    bool empty() const { return errors_.empty(); }
    // The log: each error with its line and a caret, and the number of errors.
    std::string text() const;

private:
    bool is_own(size_t token) const;
    std::string line_of(const SourceLine& place) const;
    size_t column_of(size_t token, const std::string& line) const;

    const TokenStream& tokens_;
    const ProgramSource& program_;
    const LineMap lines_;
    std::set<std::pair<size_t, std::string>> errors_;
};

}  // namespace cuda_shim
