// Clang's spelling of a declared type, taken apart.
#pragma once
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

// The type of an array's elements, for arrays of several dimensions that of the innermost; other types as they are.
inline std::string_view element_type(std::string_view type) {
    while (ends_with(type, "]")) type = type.substr(0, type.rfind('['));
    while (ends_with(type, " ")) type.remove_suffix(1);
    return type;
}

}  // namespace cuda_shim
