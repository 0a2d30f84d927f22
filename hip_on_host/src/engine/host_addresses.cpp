#include "engine/host_addresses.h"

#include "engine/memory_lookup.h"

namespace cuda_shim {
namespace {

// The name at a place in a list with commas; empty where the list has none there.
std::string name_at(const std::string& names, uint32_t place) {
    size_t begin = 0;
    for (uint32_t i = 0; i < place; i++) {
        const size_t comma = names.find(',', begin);
        if (comma == std::string::npos) return "";
        begin = comma + 1;
    }
    return names.substr(begin, names.find(',', begin) - begin);
}

}  // namespace

bool HostAddresses::may_explain(uintptr_t fault_address) const {
    return !empty() && (fault_address == 0 || is_marked(fault_address));
}

std::string HostAddresses::describe(const char* names) const {
    std::string text;
    uint32_t last = UINT32_MAX;
    for (const HostAddress& each : list_) {
        if (each.parameter == last) continue;
        last = each.parameter;
        const std::string name = name_at(names ? names : "", each.parameter);
        text += (text.empty() ? "parameter " : " and parameter ") + std::to_string(each.parameter + 1) +
                (name.empty() ? "" : " (" + name + ")") + " holds " + hexadecimal(each.address);
    }
    return text +
           ", host memory that a GPU does not reach: copy it to device memory, or register it with cudaHostRegister "
           "(cuMemHostRegister)";
}

}  // namespace cuda_shim
