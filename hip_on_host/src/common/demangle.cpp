#include "common/demangle.h"

#include <cxxabi.h>
#include <stdlib.h>

namespace cuda_shim {

std::string demangled(const std::string& symbol) {
    // Names of types are encoded too: "f" would be "float".
    if (symbol.compare(0, 2, "_Z") != 0) return symbol;
    int status = 0;
    char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = status == 0 && text ? text : symbol;
    free(text);
    return name;
}

}  // namespace cuda_shim
