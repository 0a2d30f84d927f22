// The variables of a kernel that CUDA's compilers keep in memory, and the bytes that they need there.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

struct VariableSize {
    uint64_t bytes = 0, alignment = 1;
};

// A kernel's use of one of its variables, with the functions that are inlined into it.
struct VariableUse {
    NodeIndex declaration = kNoNode;
    bool read = false, written = false;
    bool escapes = false;            // its address is known elsewhere
    bool constant_elements = false;  // its first value is constant
    bool known_writes = false;       // some writes are to elements that are known when the kernel is compiled
    bool words = true;               // every access to it is to values of 32 bits
    // Accesses to elements that are not known when the kernel is compiled: in straight code, and in loops.
    uint64_t indexed_reads = 0, indexed_writes = 0, indexed_in_loops = 0;

    // Must the compiler give a local variable an address, since not all accesses to it are known?
    bool needs_address() const;
    // May the assembler still select the elements of such a variable, of that many bytes, from registers?
    bool fits_registers(uint64_t bytes) const;
};

using SizeOfVariable = std::function<VariableSize(NodeIndex declaration)>;

// The variables of a block. Those of blocks inside it, inlined functions among them, share one place.
struct StackScope {
    std::vector<std::unique_ptr<VariableUse>> variables;
    std::vector<std::unique_ptr<StackScope>> inner;
    uint64_t buffer = 0;  // the largest list of arguments for printf
};

// The stack of a kernel, or of a function that is called and not inlined. The assembler moves all of a kernel's
// variables into registers or none, and none of a function's.
struct StackFrame {
    StackScope scope;
    bool of_kernel = false;
    std::vector<std::shared_ptr<const StackFrame>> callees;
    uint64_t library_bytes = 0;  // the memory of CUDA's own functions that are called

    uint64_t bytes(const SizeOfVariable& size_of) const;
};

// The static shared memory of a kernel: its own variables, and behind them those of other functions and of the program.
struct SharedMemory {
    NodeIndex kernel = 0, kernel_end = 0;  // its nodes
    std::map<NodeIndex, VariableUse> variables;
    bool has_dynamic = false;

    uint64_t bytes(const SizeOfVariable& size_of) const;
};

}  // namespace cuda_shim
