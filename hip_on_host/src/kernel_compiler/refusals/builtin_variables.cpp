#include "kernel_compiler/refusals/builtin_variables.h"

#include <array>
#include <utility>

namespace cuda_shim {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBuiltinVariables = {
    {{"cuda_shim_thread_index", "threadIdx"},
     {"cuda_shim_block_index", "blockIdx"},
     {"cuda_shim_block_dim", "blockDim"},
     {"cuda_shim_grid_dim", "gridDim"}}};

}  // namespace

std::string_view builtin_variable(const SyntaxNode& reference) {
    for (const auto& [own, name] : kBuiltinVariables)
        if (reference.name == own) return name;
    return {};
}

bool is_builtin_variable(const SyntaxNode& reference) { return !builtin_variable(reference).empty(); }

}  // namespace cuda_shim
