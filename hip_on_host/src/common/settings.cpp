#include "common/settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "abi/types/runtime.h"
#include "common/files.h"
#include "common/setting_names.h"

namespace cuda_shim {
namespace {

constexpr int kMostDevices = 64;
constexpr int kMostThreads = 1024;

// log() reads the settings, so their own complaints go to stderr directly.
void complain(const char* name, const std::string& value, const std::string& allowed) {
    fprintf(stderr, "cuda_shim: %s=%s is not valid; allowed: %s; the default is used\n", name_of_setting(name).c_str(),
            value.c_str(), allowed.c_str());
}

// The variable without the white space around it; "" when it is unset, which an empty one counts as.
std::string variable(const char* name) {
    const char* value = getenv(name);
    const std::string text = value ? value : "";
    const size_t first = text.find_first_not_of(" \t\n\r\f\v");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n\r\f\v") + 1 - first);
}

void read_int(const char* name, int lowest, int highest, int& out) {
    const std::string text = variable(name);
    if (text.empty()) return;
    char* end = nullptr;
    errno = 0;
    long value = strtol(text.c_str(), &end, 10);
    if (errno || *end || value < lowest || value > highest) {
        complain(name, text, std::to_string(lowest) + " to " + std::to_string(highest));
        return;
    }
    out = static_cast<int>(value);
}

// A path, "1" for a word that says yes, empty for one that says no.
void read_file_or_switch(const char* name, std::string& out) {
    out = variable(name);
    for (const char* word : {"1", "on", "yes", "y", "true"}) {
        if (strcasecmp(word, out.c_str()) == 0) out = "1";
    }
    for (const char* word : {"0", "off", "no", "n", "false"}) {
        if (strcasecmp(word, out.c_str()) == 0) out.clear();
    }
}

void read_seconds(const char* name, double& out) {
    const std::string text = variable(name);
    if (text.empty()) return;
    char* end = nullptr;
    const double value = strtod(text.c_str(), &end);
    if (*end || !(value >= 0)) return complain(name, text, "seconds, such as 10 or 0.5");
    out = value;
}

// "x", "x,y" or "x,y,z", up to `end`.
bool read_index(const std::string& text, uint32_t index[3]) {
    const char* at = text.c_str();
    for (int axis = 0; axis < 3; axis++) {
        char* behind = nullptr;
        if (*at < '0' || *at > '9') return false;
        index[axis] = static_cast<uint32_t>(strtoul(at, &behind, 10));
        if (*behind == '\0') return true;
        if (*behind != ',') return false;
        at = behind + 1;
    }
    return false;
}

// "[kernel:]block:thread".
void read_followed(const char* name, FollowedThread& out) {
    const std::string text = variable(name);
    if (text.empty()) return;
    const size_t last = text.rfind(':');
    const size_t before = last == std::string::npos || last == 0 ? std::string::npos : text.rfind(':', last - 1);
    const size_t block = before == std::string::npos ? 0 : before + 1;
    FollowedThread followed;
    followed.any = last != std::string::npos && read_index(text.substr(block, last - block), followed.block) &&
                   read_index(text.substr(last + 1), followed.thread);
    if (!followed.any) return complain(name, text, "[kernel:]block:thread, such as 3:17 or saxpy:0,1:8,2");
    if (before != std::string::npos) followed.kernel = text.substr(0, before);
    out = followed;
}

template <class Value>
struct Choice {
    const char* word;
    Value value;
};

template <class Value>
void read_choice(const char* name, const std::vector<Choice<Value>>& choices, Value& out) {
    const std::string text = variable(name);
    if (text.empty()) return;
    std::string allowed;
    for (const auto& choice : choices) {
        if (strcasecmp(choice.word, text.c_str()) == 0) {
            out = choice.value;
            return;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(choice.word);
    }
    complain(name, text, allowed);
}

// The words of cuda_shim/settings.py.
void read_switch(const char* name, bool& out) {
    read_choice<bool>(name,
                      {{"1", true},
                       {"on", true},
                       {"yes", true},
                       {"y", true},
                       {"true", true},
                       {"0", false},
                       {"off", false},
                       {"no", false},
                       {"n", false},
                       {"false", false}},
                      out);
}

// The release, and the GPU that it runs on. hip_version is what each release's hip_version.h gives.
void read_rocm(Settings& result) {
    read_choice<RocmRelease>("CUDA_SHIM_CPU_ROCM", {{"7.2.2", {7, 2, 70253211}}, {"10.0", {10, 0, HIP_VERSION}}},
                             result.rocm);
    if (!result.rocm.major) return;
    constexpr char kGpu[] = "CUDA_SHIM_CPU_GFX";
    const std::string name = variable(kGpu);
    result.gpu = find_gpu_model("gfx942");
    if (name.empty()) return;
    if (const GpuModel* model = find_gpu_model(name.c_str())) {
        result.gpu = model;
    } else {
        complain(kGpu, name, gpu_model_names());
    }
}

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

// The user's home folder by HOME, else by the user database; "" where neither names an absolute path.
std::string home_folder() {
    const char* home = getenv("HOME");
    if (!home || !*home) {
        const passwd* user = getpwuid(geteuid());
        home = user ? user->pw_dir : nullptr;
    }
    return home && *home == '/' ? home : "";
}

// Without doubled slashes, "." and "..": as Python's os.path.normpath.
std::string normal_path(const std::string& path) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        const std::string part = path.substr(at, end - at);
        if (part == ".." && !parts.empty()) parts.pop_back();
        if (part != ".." && part != "." && !part.empty()) parts.push_back(part);
        at = end + 1;
    }
    std::string result;
    for (const std::string& part : parts) result += "/" + part;
    return result.empty() ? "/" : result;
}

// The rule of cuda_shim/cache/folder.py, which a test holds against this one. "": there is no cache.
std::string find_cache_dir() {
    const std::string given = variable("CUDA_SHIM_CACHE_DIR");
    if (given == "~" || given.rfind("~/", 0) == 0) {
        const std::string home = home_folder();
        return home.empty() ? "" : normal_path(home + given.substr(1));
    }
    if (!given.empty() && given[0] == '/') return normal_path(given);
    if (!given.empty()) {
        char* here = getcwd(nullptr, 0);
        const std::string folder = here ? normal_path(std::string(here) + "/" + given) : "";
        free(here);
        return folder;
    }
    const char* base = getenv("XDG_CACHE_HOME");
    if (base && *base == '/') return normal_path(std::string(base) + "/cuda-shim");
    const std::string home = home_folder();
    return home.empty() ? "" : normal_path(home + "/.cache/cuda-shim");
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
    read_rocm(result);
    read_switch("CUDA_SHIM_CPU_SPLIT", result.split);
    read_switch("CUDA_SHIM_CPU_FAULTS", result.faults);
    read_switch("CUDA_SHIM_CPU_CHECK", result.check);
    read_switch("CUDA_SHIM_CPU_CHECK_LEAKS", result.check_leaks);
    read_file_or_switch("CUDA_SHIM_CPU_CHECK_JSON", result.check_json);
    result.check_kernel = variable("CUDA_SHIM_CPU_CHECK_KERNEL");
    read_int("CUDA_SHIM_ERROR_EXITCODE", 0, 255, result.error_exitcode);
    read_seconds("CUDA_SHIM_CPU_KERNEL_TIMEOUT", result.kernel_timeout);
    read_switch("CUDA_SHIM_CPU_DEBUG", result.debug);
    read_followed("CUDA_SHIM_CPU_DEBUG_THREAD", result.followed);
    if (result.followed.any) result.check = true;  // steps are what checks see
    read_int("AMD_SERIALIZE_KERNEL", 0, 3, result.serialize_kernels);
    read_switch("CUDA_SHIM_CPU_KEEP", result.keep);
    result.compiler = variable("CUDA_SHIM_CPU_CXX");
    result.clang = variable("CUDA_SHIM_CPU_CLANG");
    result.cache_dir = find_cache_dir();
    const std::string headers = variable("CUDA_SHIM_CPU_DEVICE_HEADERS");
    result.device_headers = headers.empty() ? headers_beside_library() : headers;
    return result;
}

}  // namespace

const Settings& settings() noexcept {
    // Never destroyed: worker threads may still log while the process exits.
    static const Settings* const read = new Settings(read_settings());
    return *read;
}

}  // namespace cuda_shim
