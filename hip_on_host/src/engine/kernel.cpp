#include "engine/kernel.h"

#include <string.h>

#include "common/demangle.h"

namespace cuda_shim {

std::string kernel_label(const CudaShimSymbol& symbol) {
    // A module made from PTX has only the mangled name, under both fields.
    const bool only_lowered = strcmp(symbol.source_name, symbol.lowered_name) == 0;
    return only_lowered ? demangled(symbol.lowered_name) : symbol.source_name;
}

}  // namespace cuda_shim
