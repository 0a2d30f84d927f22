#include "kernel_compiler/refusals.h"

#include <dlfcn.h>

#include "common/module_imports.h"
#include "kernel_compiler/device_headers.h"
#include "kernel_compiler/missing_headers.h"
#include "kernel_compiler/preprocess.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

std::string refused_directive(const ProgramSource& program, const IncludeClosure& includes,
                              const std::string& expanded_text, bool folders) {
    if (!includes.embeds.empty()) return includes.embeds + ": error: unrecognized preprocessing directive\n";
    for (const std::string& name : included_from_outside(expanded_text))
        if (!is_own_header(name, device_headers()) && !serves_host_header(name))
            return missing_header(name, expanded_text, program, folders);
    return "";
}

std::string refused_module(const ProgramSource& program, const std::string& code) {
    if (runs_when_loaded(code.data(), code.size()))
        return concat({program.name,
                       ": error: dynamic initialization is not "
                       "supported for a __device__ variable\n"});
    for (const std::string& name : refused_imports(code.data(), code.size()))
        if (dlsym(RTLD_DEFAULT, name.c_str()))
            return concat({program.name, ": error: ", name,
                           " is a host function, and host functions are not allowed "
                           "in JIT mode\n"});
    return "";
}

}  // namespace cuda_shim
