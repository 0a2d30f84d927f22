#include "common/cpuinfo.h"

#include <fstream>

namespace cuda_shim {

std::string cpuinfo_field(const std::string& field) {
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string line;
    while (std::getline(cpuinfo, line)) {
        if (line.compare(0, field.size(), field) != 0) continue;
        size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        size_t first = line.find_first_not_of(" \t", colon + 1);
        size_t last = line.find_last_not_of(" \t");
        return first == std::string::npos ? "" : line.substr(first, last - first + 1);
    }
    return "";
}

}  // namespace cuda_shim
