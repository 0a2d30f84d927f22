// Commands of compilers: their words and their programs on PATH. The rules are those of
// cuda_shim/backends/compilers.py; tests/backends/test_compiler_rules.py asks both.
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

// The words of a command, quoted as in a POSIX shell; the whole text as one word where a quote has no end.
std::vector<std::string> split_command(const std::string& text);

bool is_program(const std::string& path);

// The absolute path of a program, found on PATH where `name` has no slash; "" when there is none.
std::string find_program(const std::string& name);

}  // namespace cuda_shim
