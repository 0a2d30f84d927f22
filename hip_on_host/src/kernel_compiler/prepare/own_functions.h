// A program's own device functions with the signature of one of the prelude's: CUDA's compilers let the program's win.
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

class TranslationUnit;

// Do a compiler's errors speak of a second definition of a function?
bool has_second_definition(const std::string& errors);

// The text in which the functions of global scope with C++ linkage are overloads that Clang prefers to others with the
// same signature.
std::string with_preferred_functions(const std::string& text);

// The text in which a program's own `extern "C"` printf has another name: NVRTC takes the definition, and calls CUDA's.
std::string with_cuda_printf(const std::string& text);

// The words by which the prelude leaves the functions of the heap that the program defines with C linkage to it.
std::vector<std::string> own_heap_flags(const TranslationUnit& unit);

// Lines that end the macros of the prelude which have the name of a function or kernel of the program; empty for none.
std::string undefine_own_names(const std::string& text);

}  // namespace cuda_shim
