#include "hip/streams/interrupt.h"

#include "common/log.h"
#include "common/settings.h"
#include "engine/running_kernels.h"

namespace cuda_shim {

InterruptWatch::InterruptWatch() {
    if (settings().faults) listener_.emplace();
}

void InterruptWatch::act() {
    if (!listener_ || !listener_->interrupted()) return;
    if (!has_reported_) {
        has_reported_ = true;
        const std::string running = describe_running_kernels();
        if (!running.empty()) log(LogLevel::Error, "interrupted while waiting for the device: %s", running.c_str());
        listener_->end_as_without_us();
    }
    stop_kernels(kAllDevices, StopReason::Interrupted);
}

std::chrono::milliseconds InterruptWatch::pause() const { return std::chrono::milliseconds(has_reported_ ? 2 : 50); }

}  // namespace cuda_shim
