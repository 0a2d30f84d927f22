// The symbols of a program's functions and variables that C++ does not mangle: those with C linkage and variables of
// global scope. In a module they begin with a prefix that no C identifier has, so that none of them is a name which the
// C library, a compiler, a linker or the loader knows: `_init`, `memcpy`, `_GLOBAL_OFFSET_TABLE_`.
#pragma once
#include <string_view>

namespace cuda_shim {

constexpr std::string_view kProgramSymbol = "program.";

inline bool is_program_symbol(std::string_view symbol) {
    return symbol.substr(0, kProgramSymbol.size()) == kProgramSymbol;
}

// The name in the program behind a symbol of its module.
inline std::string_view name_in_program(std::string_view symbol) {
    return is_program_symbol(symbol) ? symbol.substr(kProgramSymbol.size()) : symbol;
}

}  // namespace cuda_shim
