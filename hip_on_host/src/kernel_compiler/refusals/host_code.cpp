#include "kernel_compiler/refusals/host_code.h"

#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/read/missing_headers.h"
#include "kernel_compiler/read/preprocess.h"
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

}  // namespace cuda_shim
