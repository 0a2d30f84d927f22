#include "engine/clock.h"

#include <stdlib.h>

#include <string>

#include "common/cpuinfo.h"
#include "common/files.h"

namespace cuda_shim {
namespace {

int read_clock_rate() {
    std::string text;
    if (read_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", text)) return atoi(text.c_str());
    return static_cast<int>(atof(cpuinfo_field("cpu MHz").c_str()) * 1000);
}

}  // namespace

int clock_rate() {
    static const int rate = read_clock_rate();
    return rate > 0 ? rate : 1000000;
}

}  // namespace cuda_shim
