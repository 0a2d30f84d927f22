#include "kernel_compiler/build/generated_code_faults.h"

#include "common/log.h"
#include "common/settings.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

std::string unmet_requirement(const std::string& errors) {
    const size_t at = errors.find(kUnmetRequirement);
    if (at == std::string::npos) return "";
    const size_t begin = at + sizeof kUnmetRequirement - 1;
    return errors.substr(begin, errors.find_first_of("\"'\n", begin) - begin);
}

void GeneratedCodeFaults::warn(const std::string& program) const {
    for (const Fault& fault : faults_) {
        log(LogLevel::Warn,
            "%s: the code that hiprtc generates as %s does not compile, and slower code takes its place: please report "
            "this with the program's source (CUDA_SHIM_CPU_FALLBACKS=0 shows the compiler's errors)",
            program.c_str(), fault.part.c_str());
        log(LogLevel::Debug, "%s", fault.errors.c_str());
    }
}

std::string GeneratedCodeFaults::refusal() const {
    std::string text;
    if (settings().fallbacks) return text;
    for (const Fault& fault : faults_)
        append(text, {"the code generated as ", fault.part,
                      " does not compile: please report it with the program's source\n", fault.errors});
    return text;
}

}  // namespace cuda_shim
