#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/settings.h"

namespace cuda_shim {
namespace {

constexpr size_t kLongestLine = 2048;

}  // namespace

bool log_enabled(LogLevel level) noexcept {
    return level != LogLevel::Off && static_cast<int>(level) <= static_cast<int>(settings().log_level);
}

void log(LogLevel level, const char* format, ...) noexcept {
    if (!log_enabled(level)) return;
    char line[kLongestLine];
    int used = snprintf(line, sizeof line, "cuda_shim: ");
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    if (wanted < 0) return;
    size_t length = static_cast<size_t>(used) + static_cast<size_t>(wanted);
    if (length > sizeof line - 2) length = sizeof line - 2;
    line[length++] = '\n';
    // A log line that cannot be written has nowhere else to go.
    ssize_t ignored = write(STDERR_FILENO, line, length);
    static_cast<void>(ignored);
}

}  // namespace cuda_shim
