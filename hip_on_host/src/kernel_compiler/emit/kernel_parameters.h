// The parameters of a kernel's declaration as texts.
#pragma once
#include <string>

#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// "(float* x, int n)", without default arguments: as good as a list of types.
std::string parameter_types(const TokenStream& tokens, const FunctionDeclaration& function);

// "x,n". A name is the last identifier before a default argument, an array's bound or the comma, and in a pointer to a
// function, "int (*f)(int)", the last one in the first parentheses.
std::string parameter_names(const TokenStream& tokens, const FunctionDeclaration& function);

}  // namespace cuda_shim
