#include "common/setting_names.h"

#include <stdlib.h>
#include <string.h>

namespace cuda_shim {
namespace {

constexpr char kPrefix[] = "CUDA_SHIM_";
// Names of the settings that `run` was given as options, such as cpu_cxx, divided by spaces (cuda_shim/settings.py).
constexpr char kFlags[] = "_CUDA_SHIM_FLAGS";

}  // namespace

std::string name_of_setting(const char* variable) {
    const char* option_names = getenv(kFlags);
    std::string name, flag = "--";
    for (const char* at = variable + strlen(kPrefix); *at; ++at) {
        const char lower = *at >= 'A' && *at <= 'Z' ? static_cast<char>(*at - 'A' + 'a') : *at;
        name += lower;
        flag += lower == '_' ? '-' : lower;
    }
    const std::string flags = std::string(" ") + (option_names ? option_names : "") + " ";
    return flags.find(" " + name + " ") == std::string::npos ? variable : flag;
}

}  // namespace cuda_shim
