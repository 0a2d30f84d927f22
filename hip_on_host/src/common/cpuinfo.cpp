#include "common/cpuinfo.h"

#include <algorithm>

#include "common/files.h"

namespace cuda_shim {

std::string cpuinfo_field(const std::string& field) {
    std::string text;
    if (!read_file("/proc/cpuinfo", text)) return "";
    for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (line.compare(0, field.size(), field) != 0) continue;
        const size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const size_t first = line.find_first_not_of(" \t", colon + 1);
        const size_t last = line.find_last_not_of(" \t");
        return first == std::string::npos ? "" : line.substr(first, last - first + 1);
    }
    return "";
}

}  // namespace cuda_shim
