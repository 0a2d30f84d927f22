// The static shared memory and the local memory of kernels, as CUDA's compilers lay them out.
//
// The syntax tree says which variables a kernel needs in memory (memory_use/), and the host's compiler how large they
// are: the module holds a constant with the size of each of them, as a symbol beside the variable.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "kernel_compiler/emit/lowered_form.h"
#include "kernel_compiler/analyse/memory_use/memory_walk.h"

namespace cuda_shim {

struct KernelSizes {
    uint32_t shared_bytes = 0, local_bytes = 0;
};

class KernelMemoryUse {
public:
    // Knows no kernel where the program has no syntax tree.
    explicit KernelMemoryUse(const ParsedProgram& program);

    // Adds the constants with the sizes to the program's text.
    void add_sizes(TextEdits& edits) const;
    // The sizes of all kernels, by symbol. `module`: the compiled program.
    std::map<std::string, KernelSizes> sizes(const std::string& module) const;
    // Whether a compiler's errors are about one of the constants.
    static bool is_named_in(const std::string& errors);

private:
    void number_variables();
    void number_variable(NodeIndex declaration);
    size_t behind_declaration(NodeIndex declaration) const;
    std::string alignments_of(NodeIndex declaration) const;

    const SyntaxTree* tree_ = nullptr;
    std::map<NodeIndex, KernelMemory> kernels_;
    std::map<size_t, size_t> numbers_;       // the constants' numbers, by the token of the variable's name
    std::map<size_t, NodeIndex> variables_;  // with a constant, by that token
};

}  // namespace cuda_shim
