// Labels that give a program's functions and variables symbols of their own in the module (common/program_symbol.h).
#pragma once
#include <set>
#include <string>

#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// The name behind an identifier: a translator of PTX spells those behind a prefix that C++ has no place for.
std::string name_of_identifier(const std::string& identifier);

// Adds the labels: behind the declarators of variables, and for functions in a declaration in front of the first one,
// since GCC takes no label in a definition. Returns the names of the functions, which compilers may know as the C
// library's.
std::set<std::string> label_symbols(const TranslationUnit& unit, TextEdits& edits);

// The words that keep compilers from taking functions of these names for the C library's.
std::vector<std::string> unknown_to_compilers(const std::set<std::string>& functions);

}  // namespace cuda_shim
