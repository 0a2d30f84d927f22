// Lowered names out of the symbols of a linked module.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_shim {

struct EntryName {
    uint32_t entry = 0;
    std::string lowered;  // "_Z5plainPfPKfS_i", or the plain name of a global variable or of a function with C linkage
    std::string symbol;   // by the host's compiler, which marks names of internal linkage ("_ZL5plainPf")
    bool valid = false;
};

// The entry's index and the address's own mangled name, from the symbol of cuda_shim_entry<index, &address>::anchor.
// Not valid for any other symbol.
EntryName read_anchor(std::string_view symbol);

// The beginning that mangled names of local variables of the function `symbol` share.
std::string local_prefix(const std::string& symbol);

}  // namespace cuda_shim
