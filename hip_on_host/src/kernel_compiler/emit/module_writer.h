// Writes the text that becomes a kernel module: the program, thread loops beside its kernels, and the table at its end.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/analyse/kernel_sizes.h"
#include "kernel_compiler/emit/lowered_form.h"

namespace cuda_shim {

struct ModuleRequest {
    std::string program_name;
    std::vector<std::string> name_expressions;
    size_t name_slot_bytes = 512;  // room for each lowered name
    bool relocatable = false;      // one of several programs of a module: its tables are its own
    bool completes = false;        // a variable that is only declared extern is there, as in CUDA
    bool rewrite_kernels = true;   // thread loops and splitting; else kernels stay as they are written
    std::map<std::string, std::string> not_inlined;  // kernels, and why calls that wait were not inlined
    std::map<std::string, std::string> as_written;   // kernels (with their namespaces) that stay so, and why
    const KernelMemoryUse* memory_use = nullptr;     // asks for the sizes of the variables that kernels keep in memory
};

struct ModuleText {
    std::string text;
    std::vector<std::string> unmangled_entries;  // by entry, the name of a function with C linkage, else empty
    std::set<std::string> unmangled_functions;   // the program's functions with C linkage
    std::vector<size_t> expression_entries;      // the entry of each name expression
    std::vector<std::string> rewritten;          // kernels that are lowered to loops
    std::vector<std::string> notes;              // each kernel's form, and why
    std::string unparsed_kernel;  // a kernel with barriers or loops that is slow since no Clang parsed it
};

// `program`: as it is. `rewritten`: with calls inlined, from which its kernels are lowered.
ModuleText write_module(const ParsedProgram& program, const ParsedProgram& rewritten, const ModuleRequest& request);

}  // namespace cuda_shim
