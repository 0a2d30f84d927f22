// Parts of the prelude that most kernels do without: reading them costs every compilation time, so only programs that
// say one of their names get them.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/read/lexer.h"

namespace cuda_shim {

// The flags that ask the prelude for the parts whose names stand in these tokens.
std::vector<std::string> prelude_part_flags(const TokenStream& tokens, bool hip);
// The flags that ask for all of it that can stand beside this program.
std::vector<std::string> all_prelude_part_flags(const std::string& program, bool hip);
// Is there a class of the program's named `texture`, as CUDA's texture references were?
bool declares_own_texture(const TokenStream& tokens);

}  // namespace cuda_shim
