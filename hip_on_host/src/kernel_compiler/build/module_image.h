// The linked module as bytes: names and sizes from its symbols, written into its table.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <map>
#include <utility>
#include <vector>

#include "abi/kernel_module.h"
#include "kernel_compiler/analyse/kernel_sizes.h"

namespace cuda_shim {

struct ModuleNames {
    std::vector<std::string> lowered;  // by entry
    std::vector<std::string> symbols;  // by entry, as the host's compiler writes them
    size_t longest = 0;                // bytes of the longest, with its end
    std::string problem;               // an entry whose name could not be read, or a damaged image
};

// Lowered names of all entries, from the symbols of their anchors: of a module, or of an object that one will be linked
// from. `unmangled`: by entry, the name of a function with C linkage, else empty. Such a function has a label in the
// module, and Clang takes its name to be mangled then.
ModuleNames read_lowered_names(const std::string& module, const std::vector<std::string>& unmangled);

// The rows of a completed module's table, whose pointers mean nothing; none where the module has no table.
std::vector<CudaShimSymbol> table_of_module(const std::string& module, size_t entry_count);

// hiprtc gives out a module, and behind it, where it was compiled to be linked with others, the object that it was
// linked from.
size_t module_bytes(std::string_view bytes);               // of both; 0 when `bytes` do not begin with a whole module
std::string_view linkable_object(std::string_view bytes);  // empty when there is none

// The symbols of the module whose names have `part` in them, each with the first bytes of its contents.
std::vector<std::pair<std::string, std::string>> constants_of_module(const std::string& module, std::string_view part,
                                                                     size_t bytes);

// Writes the names into cuda_shim_lowered_names (slots of `slot_bytes`) and the kernels' memory into cuda_shim_symbols.
// `sizes`: by the kernel's symbol; without them a kernel has the shared variables of its own body. False when the
// module has no such tables, or a name does not fit its slot.
bool complete_module(std::string& module, const ModuleNames& names, size_t slot_bytes,
                     const std::map<std::string, KernelSizes>& sizes);

}  // namespace cuda_shim
