// C++ names as the program wrote them.
#pragma once
#include <string>

namespace cuda_shim {

// "void fill<float>(float*, int)" for _Z4fillIfEvPT_i; a name that is not mangled, as it is.
std::string demangled(const std::string& symbol);

}  // namespace cuda_shim
