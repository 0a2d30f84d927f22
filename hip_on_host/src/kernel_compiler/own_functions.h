// A program's own device functions with the signature of one of the prelude's: CUDA's compilers let the program's win.
#pragma once
#include <set>
#include <string>

#include "kernel_compiler/translation_unit.h"

namespace cuda_shim {

// The device functions of global scope that a compiler's errors name: one of them may be a second definition of a
// function of the prelude.
std::set<std::string> own_functions_in(const std::string& errors, const TranslationUnit& unit);

// The text in which these functions are overloads that Clang prefers to others with the same signature.
std::string with_preferred_functions(const std::string& text, const std::set<std::string>& names);

}  // namespace cuda_shim
