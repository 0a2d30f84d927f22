// Settings of the CPU-hosted runtime, read from the environment once per process.
#pragma once
#include <cstdint>
#include <string>

#include "common/log.h"
#include "common/rocm_mode.h"

namespace cuda_shim {

// One thread of one kernel's launch, which is followed step by step.
struct FollowedThread {
    bool any = false;
    std::string kernel;  // a pattern, as for fnmatch; empty: any
    uint32_t block[3] = {0, 0, 0};
    uint32_t thread[3] = {0, 0, 0};
};

struct Settings {
    int devices = 1;                // CUDA_SHIM_CPU_DEVICES: how many virtual devices there are
    int threads = 1;                // CUDA_SHIM_CPU_THREADS: worker threads; default: the cores this process may use
    int warp_size = 32;             // CUDA_SHIM_CPU_WARP_SIZE: 32 or 64
    RocmRelease rocm;               // CUDA_SHIM_CPU_ROCM: behave as AMD's runtime of this release
    const GpuModel* gpu = nullptr;  // CUDA_SHIM_CPU_GFX: the GPU that the device claims to be then; else null
    LogLevel log_level = LogLevel::Warn;  // CUDA_SHIM_CPU_LOG
    bool split = true;                    // CUDA_SHIM_CPU_SPLIT: split kernels at their barriers; else fibres only
    bool faults = true;                   // CUDA_SHIM_CPU_FAULTS: turn signals inside kernels into HIP errors
    bool check = false;                   // CUDA_SHIM_CPU_CHECK: look at every access that kernels make to memory
    bool debug = false;                   // CUDA_SHIM_CPU_DEBUG: faults name the thread and the line of the program
    std::string check_json;      // CUDA_SHIM_CPU_CHECK_JSON: where findings go as JSON; "1": stderr; empty: nowhere
    std::string check_kernel;    // CUDA_SHIM_CPU_CHECK_KERNEL: pattern of the kernels that are checked; empty: all
    bool check_leaks = false;    // CUDA_SHIM_CPU_CHECK_LEAKS: report what is still allocated when the process ends
    int error_exitcode = 0;      // CUDA_SHIM_ERROR_EXITCODE: of a process with findings; 0: as the program has it
    double kernel_timeout = 0;   // CUDA_SHIM_CPU_KERNEL_TIMEOUT: seconds that a kernel may run; 0: any time
    FollowedThread followed;     // CUDA_SHIM_CPU_DEBUG_THREAD: whose steps are printed
    int serialize_kernels = 0;   // AMD_SERIALIZE_KERNEL: launches return when the kernel has ended; 0: before
    bool keep = false;           // CUDA_SHIM_CPU_KEEP: keep generated kernel sources
    std::string compiler;        // CUDA_SHIM_CPU_CXX: command of the kernel compiler; empty: search
    std::string clang;           // CUDA_SHIM_CPU_CLANG: of the Clang that reads kernels beside another compiler
    std::string cache_dir;       // CUDA_SHIM_CACHE_DIR, or in the user's cache folder; empty: none is known
    std::string device_headers;  // CUDA_SHIM_CPU_DEVICE_HEADERS, or ../device beside this library
};

const Settings& settings() noexcept;

}  // namespace cuda_shim
