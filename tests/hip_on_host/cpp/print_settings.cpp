// Prints the settings that the runtime reads from its environment: a line VARIABLE=value each, in the spelling of the
// table, and with an argument those that follow from them.
#include <stdio.h>

#include <string>

#include "common/setting_reader.h"
#include "common/settings.h"

namespace {

using cuda_shim::FollowedThread;

std::string text(bool value) { return value ? "1" : "0"; }
std::string text(int value) { return std::to_string(value); }
std::string text(const std::string& value) { return value; }

std::string text(double value) {
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    return digits;
}

std::string text(const uint32_t (&index)[3]) {
    return std::to_string(index[0]) + "," + std::to_string(index[1]) + "," + std::to_string(index[2]);
}

std::string text(const FollowedThread& value) {
    return value.any ? value.kernel + ":" + text(value.block) + ":" + text(value.thread) : "";
}

}  // namespace

int main(int count, char**) {
    if (count > 1) {
        const cuda_shim::Settings& settings = cuda_shim::settings();
        printf("release=%d.%d\ngpu=%s\n", settings.release.major, settings.release.minor,
               settings.gpu ? settings.gpu->name : "");
        printf("log_level=%d\nthreads=%d\n", static_cast<int>(settings.log_level), settings.threads);
        printf("serialize_kernels=%d\n", settings.serialize_kernels);
        return 0;
    }
    cuda_shim::SettingValues values;
    cuda_shim::read_settings(values);
    for_each_setting(values, [](const cuda_shim::SettingRow& row, const auto& value) {
        printf("%s=%s\n", row.variable, text(value).c_str());
    });
}
