// `extern __shared__ T name[];` has no meaning to a host compiler: it becomes a pointer to the launch's own memory.
#pragma once
#include "kernel_compiler/translation_unit.h"

namespace cuda_shim {

// Adds the edits that turn each declaration into `T* const name = ...`. One at namespace scope moves into the functions
// that use the name.
void rewrite_dynamic_shared(const TranslationUnit& unit, TextEdits& edits);

// Does the declaration at tokens [begin, end) say `extern __shared__`, with an array of unknown bound?
bool is_dynamic_shared(const TokenStream& tokens, size_t begin, size_t end);

// The declaration that takes its place; empty when it has a shape that is not understood.
std::string dynamic_shared_pointer(const TokenStream& tokens, size_t begin, size_t end);

// Index of the declared name's token, or npos.
size_t dynamic_shared_name(const TokenStream& tokens, size_t begin, size_t end);

}  // namespace cuda_shim
