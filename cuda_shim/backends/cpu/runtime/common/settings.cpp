#include "common/settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "common/files.h"

namespace cuda_shim {
namespace {

constexpr int kMostDevices = 64;
constexpr int kMostThreads = 1024;

// log() reads the settings, so their own complaints go to stderr directly.
void complain(const char* name, const char* value, const std::string& allowed) {
    fprintf(stderr, "cuda_shim: %s=%s is not valid; allowed: %s; the default is used\n", name, value, allowed.c_str());
}

const char* variable(const char* name) {
    const char* value = getenv(name);
    return value && *value ? value : nullptr;
}

void read_int(const char* name, int lowest, int highest, int& out) {
    const char* text = variable(name);
    if (!text) return;
    char* end = nullptr;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || value < lowest || value > highest) {
        complain(name, text, std::to_string(lowest) + " to " + std::to_string(highest));
        return;
    }
    out = static_cast<int>(value);
}

template <class Value>
struct Choice {
    const char* word;
    Value value;
};

template <class Value>
void read_choice(const char* name, const std::vector<Choice<Value>>& choices, Value& out) {
    const char* text = variable(name);
    if (!text) return;
    std::string allowed;
    for (const auto& choice : choices) {
        if (strcmp(choice.word, text) == 0) {
            out = choice.value;
            return;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(choice.word);
    }
    complain(name, text, allowed);
}

void read_switch(const char* name, bool& out) { read_choice<bool>(name, {{"0", false}, {"1", true}}, out); }

// Cores that the process's control group may use, rounded up; `otherwise` when it sets no limit.
int quota_cores(int otherwise) {
    std::string text;
    double quota = 0, period = 0;
    if (read_file("/sys/fs/cgroup/cpu.max", text)) {
        if (sscanf(text.c_str(), "%lf %lf", &quota, &period) != 2) return otherwise;  // "max": no limit
    } else if (read_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text)) {
        quota = atof(text.c_str());
        period = read_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text) ? atof(text.c_str()) : 0;
    }
    if (quota <= 0 || period <= 0) return otherwise;
    int cores = static_cast<int>((quota + period - 1) / period);
    return cores < 1 ? 1 : cores < otherwise ? cores : otherwise;
}

int usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int cores = CPU_COUNT(&set);
    return quota_cores(cores > 0 ? cores : 1);
}

std::string default_cache_dir() {
    if (const char* base = variable("XDG_CACHE_HOME")) return std::string(base) + "/cuda-shim";
    if (const char* home = variable("HOME")) return std::string(home) + "/.cache/cuda-shim";
    return "";
}

std::string headers_beside_library() {
    Dl_info info;
    static const char anchor = 0;
    if (!dladdr(&anchor, &info) || !info.dli_fname) return "";
    std::string path = info.dli_fname;
    size_t slash = path.rfind('/');
    return (slash == std::string::npos ? std::string(".") : path.substr(0, slash)) + "/../device";
}

Settings read_settings() {
    Settings result;
    result.threads = usable_cores();
    read_int("CUDA_SHIM_CPU_DEVICES", 1, kMostDevices, result.devices);
    read_int("CUDA_SHIM_CPU_THREADS", 1, kMostThreads, result.threads);
    read_choice<int>("CUDA_SHIM_CPU_WARP_SIZE", {{"32", 32}, {"64", 64}}, result.warp_size);
    read_choice<LogLevel>("CUDA_SHIM_CPU_LOG",
                          {{"off", LogLevel::Off},
                           {"error", LogLevel::Error},
                           {"warn", LogLevel::Warn},
                           {"info", LogLevel::Info},
                           {"debug", LogLevel::Debug}},
                          result.log_level);
    read_switch("CUDA_SHIM_CPU_SPLIT", result.split);
    read_switch("CUDA_SHIM_CPU_FAULTS", result.faults);
    read_switch("CUDA_SHIM_CPU_CHECK", result.check);
    read_switch("CUDA_SHIM_CPU_DEBUG", result.debug);
    read_switch("CUDA_SHIM_CPU_KEEP", result.keep);
    if (const char* text = variable("CUDA_SHIM_CPU_CXX")) result.compiler = text;
    if (const char* text = variable("CUDA_SHIM_CPU_CLANG")) result.clang = text;
    const char* cache = variable("CUDA_SHIM_CACHE_DIR");
    result.cache_dir = cache ? cache : default_cache_dir();
    const char* headers = variable("CUDA_SHIM_CPU_DEVICE_HEADERS");
    result.device_headers = headers ? headers : headers_beside_library();
    return result;
}

}  // namespace

const Settings& settings() noexcept {
    // Never destroyed: worker threads may still log while the process exits.
    static const Settings* const read = new Settings(read_settings());
    return *read;
}

}  // namespace cuda_shim
