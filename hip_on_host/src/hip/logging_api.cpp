// hipExt*Logging*: the log's level, changed while the program runs. HIP's numbers of levels are the log's own.
#include <algorithm>
#include <atomic>

#include "common/log.h"
#include "hip/api.h"

namespace cuda_shim {
namespace {

// The level that enabling restores: the one that was last chosen, or the setting's.
std::atomic<int> level_when_enabled{-1};

LogLevel enabled_level() {
    const int level = level_when_enabled.load();
    return level < 0 ? log_level() : static_cast<LogLevel>(level);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipExtEnableLogging() {
    return api(__func__, [] {
        set_log_level(enabled_level());
        return hipSuccess;
    });
}

hipError_t hipExtDisableLogging() {
    return api(__func__, [] {
        level_when_enabled.store(static_cast<int>(enabled_level()));
        set_log_level(LogLevel::Off);
        return hipSuccess;
    });
}

// The log is not divided into components, and grows as it likes: a mask only says whether there is any.
hipError_t hipExtSetLoggingParams(size_t level, size_t, size_t mask) {
    return api(__func__, [&] {
        const size_t most = static_cast<size_t>(LogLevel::Debug);
        const auto new_level = mask == 0 ? LogLevel::Off : static_cast<LogLevel>(std::min(level, most));
        level_when_enabled.store(static_cast<int>(new_level));
        set_log_level(new_level);
        return hipSuccess;
    });
}
