#include "common/settings.h"

#include <dlfcn.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "abi/types/runtime.h"
#include "common/files.h"
#include "common/setting_reader.h"

namespace cuda_shim {
namespace {

// AMD's own variable, which programs set to have launches return when their kernels have ended.
constexpr SettingRow kSerializeKernel = {"AMD_SERIALIZE_KERNEL",  SettingKind::Integer, 0, 3, "",
                                         "an integer from 0 to 3"};

struct NamedRelease {
    const char* name;
    RocmRelease release;
};
// hip_version is the number in each release's hip_version.h.
constexpr NamedRelease kReleases[] = {{"7.2.2", {7, 2, 70253211}}, {"10.0", {10, 0, HIP_VERSION}}};

struct NamedLevel {
    const char* name;
    LogLevel level;
};
constexpr NamedLevel kLevels[] = {{"off", LogLevel::Off},
                                  {"error", LogLevel::Error},
                                  {"warn", LogLevel::Warn},
                                  {"info", LogLevel::Info},
                                  {"debug", LogLevel::Debug}};

// The release, and the GPU that it runs on.
void choose_release(Settings& result) {
    for (const NamedRelease& candidate : kReleases) {
        if (result.rocm == candidate.name) result.release = candidate.release;
    }
    if (result.release.major) result.gpu = find_gpu_model(result.gfx.empty() ? "gfx942" : result.gfx.c_str());
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

// The rule of cuda_shim/cache/folder.py, which a test holds against this one. "": there is no cache.
std::string find_cache_dir(const std::string& folder_setting) {
    if (folder_setting == "~" || folder_setting.rfind("~/", 0) == 0) {
        const std::string home = home_folder();
        return home.empty() ? "" : normal_path(home + folder_setting.substr(1));
    }
    if (!folder_setting.empty()) return absolute_path(folder_setting);
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

Settings read_all() {
    Settings result;
    read_settings(result);
    read_setting(kSerializeKernel, result.serialize_kernels);
    if (!result.threads) result.threads = usable_cores();
    for (const NamedLevel& candidate : kLevels) {
        if (result.log == candidate.name) result.log_level = candidate.level;
    }
    choose_release(result);
    result.capability = find_capability_model(result.compute_capability.c_str());
    if (result.debug_thread.any) result.check = true;  // only checks observe the steps of a thread
    result.cache_dir = find_cache_dir(result.cache_dir);
    if (result.device_headers.empty()) result.device_headers = headers_beside_library();
    return result;
}

}  // namespace

const Settings& settings() noexcept {
    // Never destroyed: worker threads may still log while the process exits.
    static const Settings* const instance = new Settings(read_all());
    return *instance;
}

}  // namespace cuda_shim
