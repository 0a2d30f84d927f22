// One-line messages on stderr, for people. The level comes from CUDA_SHIM_CPU_LOG.
#pragma once
#include <string>

namespace cuda_shim {

enum class LogLevel { Off, Error, Warn, Info, Debug };

bool log_enabled(LogLevel level) noexcept;
// Sets the level from now on, in place of the setting's.
void set_log_level(LogLevel level) noexcept;
LogLevel log_level() noexcept;

// Prints "cuda_shim: <printf text>" as one write, so that lines of several threads do not mix.
void log(LogLevel level, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

}  // namespace cuda_shim
