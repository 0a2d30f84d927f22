// The host's cores as described in /proc/cpuinfo.
#pragma once
#include <string>

namespace cuda_shim {

// The first value of a field, such as "model name"; empty when there is none.
std::string cpuinfo_field(const std::string& field);

}  // namespace cuda_shim
