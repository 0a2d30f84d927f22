// Conversions of floats to integers, as GPUs do them: a number that is out of range becomes the nearest one of 32 bits,
// of which narrower types keep the low bits. C++ leaves them open. Clang is asked for the nearest number of the type
// itself, and GCC gives the processor's.
#pragma once
#include <string>

#include "kernel_compiler/build/compiler.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// The text in which a function of the prelude makes the conversions that `compiler` does otherwise, explicit ones in
// templates too. Empty where there are none.
std::string with_float_conversions(const SyntaxTree& tree, const Compiler& compiler);

}  // namespace cuda_shim
