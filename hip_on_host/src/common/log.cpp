#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>

#include "common/settings.h"

namespace cuda_shim {
namespace {

constexpr size_t kMaxLineBytes = 2048;
constexpr int kAsSet = -1;

std::atomic<int> level_override{kAsSet};

}  // namespace

LogLevel log_level() noexcept {
    const int level = level_override.load(std::memory_order_relaxed);
    return level == kAsSet ? settings().log_level : static_cast<LogLevel>(level);
}

void set_log_level(LogLevel level) noexcept {
    level_override.store(static_cast<int>(level), std::memory_order_relaxed);
}

bool log_enabled(LogLevel level) noexcept {
    return level != LogLevel::Off && static_cast<int>(level) <= static_cast<int>(log_level());
}

void log(LogLevel level, const char* format, ...) noexcept {
    if (!log_enabled(level)) return;
    char line[kMaxLineBytes];
    int prefix_length = snprintf(line, sizeof line, "cuda_shim: ");
    va_list arguments;
    va_start(arguments, format);
    int text_length = vsnprintf(line + prefix_length, sizeof line - prefix_length - 1, format, arguments);
    va_end(arguments);
    if (text_length < 0) return;
    size_t length = static_cast<size_t>(prefix_length) + static_cast<size_t>(text_length);
    if (length > sizeof line - 2) length = sizeof line - 2;
    line[length++] = '\n';
    // A log line that cannot be written has nowhere else to go.
    ssize_t ignored = write(STDERR_FILENO, line, length);
    static_cast<void>(ignored);
}

}  // namespace cuda_shim
