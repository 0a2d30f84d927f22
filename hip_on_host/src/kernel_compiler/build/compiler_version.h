// A compiler's version and kind, and the text that changes when the compiler does. The rules for kinds are those of
// cuda_shim/backends/compilers.py; tests/backends/test_compiler_rules.py asks both.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/build/compiler.h"

namespace cuda_shim {

// The words of the command, and the path, size and time of its program behind all links.
std::string compiler_identity(const std::vector<std::string>& command);

// Asks the compiler where its name does not tell.
Compiler::Kind kind_of(const std::vector<std::string>& command);

// The first number of the version of Clang, or of the Clang inside of zig; 0 for other compilers.
int clang_major_version(const std::vector<std::string>& command);

}  // namespace cuda_shim
