// `extern __shared__ T name[];` has no meaning to a host compiler: it becomes a pointer to the launch's own memory.
#pragma once
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// Adds the edits that turn each declaration into `T* const name = ...`. One at namespace scope moves into the functions
// that use the name. A declaration with a known size loses its `extern`.
void rewrite_dynamic_shared(const TranslationUnit& unit, TextEdits& edits);

}  // namespace cuda_shim
