// Commands of compilers: their words, their programs on PATH, and the kind of a compiler. The rules are those of
// cuda_shim/backends/compilers.py; tests/backends/test_compiler_rules.py asks both.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/compiler.h"

namespace cuda_shim {

// The words of a command, quoted as in a POSIX shell; the whole text as one word where a quote has no end.
std::vector<std::string> split_command(const std::string& text);

bool is_program(const std::string& path);

// The absolute path of a program, found on PATH where `name` has no slash; "" when there is none.
std::string find_program(const std::string& name);

// The answer of a compiler to --version. Each command runs once in a process.
const std::string& version_answer(const std::vector<std::string>& command);

// Asks the compiler where its name does not tell.
Compiler::Kind kind_of(const std::vector<std::string>& command);

// The first number of the version of Clang, or of the Clang inside of zig; 0 for other compilers.
int clang_major_version(const std::vector<std::string>& command);

}  // namespace cuda_shim
