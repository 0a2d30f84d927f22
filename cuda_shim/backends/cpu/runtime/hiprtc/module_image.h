// The linked module as bytes: what its symbols tell, written into its table.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_shim {

struct ModuleNames {
    std::vector<std::string> lowered;  // by row
    size_t longest = 0;                // bytes of the longest, with its end
    std::string problem;               // a row whose name could not be read, or a damaged image
};

// Lowered names of `rows` rows, from the symbols of their anchors.
ModuleNames read_lowered_names(const std::string& module, size_t rows);

// Writes the names into cuda_shim_lowered_names (slots of `slot_bytes`) and the kernels' static shared memory into
// cuda_shim_symbols. False when the module has no such tables, or a name does not fit its slot.
bool complete_module(std::string& module, const ModuleNames& names, size_t slot_bytes);

}  // namespace cuda_shim
