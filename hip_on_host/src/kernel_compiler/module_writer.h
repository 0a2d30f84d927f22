// Writes the text that becomes a kernel module: the program, thread loops beside its kernels, and the table at its end.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/lowered_form.h"

namespace cuda_shim {

struct ModuleRequest {
    std::string program_name;
    std::vector<std::string> name_expressions;
    size_t name_slot_bytes = 512;                   // room for each lowered name
    bool relocatable = false;                       // one of several programs of a module: its tables are its own
    bool rewrite_kernels = true;                    // thread loops and splitting; else kernels stay as they are written
    std::map<std::string, std::string> calls_left;  // kernels, and why calls are left in them that wait
    std::set<std::string> as_written;               // kernels (with their namespaces) that stay so all the same
};

struct ModuleText {
    std::string text;
    size_t rows = 0;
    std::vector<size_t> expression_rows;  // the row that answers for each name expression
    std::vector<std::string> rewritten;   // kernels that were given another form
    std::vector<std::string> notes;       // of each kernel: its form, and why
    std::string unread;                   // a kernel with barriers or loops that is slow since no Clang has read it
};

// `program`: as it is. `rewritten`: as it is read for the further forms of its kernels, with calls written out.
ModuleText write_module(const ReadProgram& program, const ReadProgram& rewritten, const ModuleRequest& request);

// Text behind the program that makes a compiler instantiate the kernels which the expressions ask for.
std::string ask_for_instantiations(const std::vector<std::string>& name_expressions);

}  // namespace cuda_shim
