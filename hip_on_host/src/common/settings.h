// Settings of the CPU-hosted runtime, read from the environment once per process.
#pragma once
#include "common/capability_model.h"
#include "common/log.h"
#include "common/rocm_mode.h"
#include "common/setting_rows.h"

namespace cuda_shim {

// The values of the table, with `threads`, `cache_dir` and `device_headers` determined where they are unset, and the
// values derived from them.
struct Settings : SettingValues {
    RocmRelease release;            // from `rocm`: behave as AMD's runtime of this release
    const GpuModel* gpu = nullptr;  // the GPU that the device claims to be where there is a release; else null
    const CapabilityModel* capability = nullptr;  // from `compute_capability`; never null
    LogLevel log_level = LogLevel::Warn;          // from `log`
    int serialize_kernels = 0;  // AMD_SERIALIZE_KERNEL: launches return when the kernel has ended; 0: before
};

const Settings& settings() noexcept;

}  // namespace cuda_shim
