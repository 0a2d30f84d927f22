// Settings of the CPU-hosted runtime, read from the environment once per process.
#pragma once
#include <string>

#include "common/log.h"

namespace cuda_shim {

struct Settings {
    int devices = 1;     // CUDA_SHIM_CPU_DEVICES: how many virtual devices there are
    int threads = 1;     // CUDA_SHIM_CPU_THREADS: worker threads; default: the cores this process may use
    int warp_size = 32;  // CUDA_SHIM_CPU_WARP_SIZE: 32 or 64
    LogLevel log_level = LogLevel::Warn;  // CUDA_SHIM_CPU_LOG
    bool split = true;                    // CUDA_SHIM_CPU_SPLIT: split kernels at their barriers; else fibres only
    bool faults = true;                   // CUDA_SHIM_CPU_FAULTS: turn signals inside kernels into HIP errors
    bool check = false;                   // CUDA_SHIM_CPU_CHECK: look at every access that kernels make to memory
    bool debug = false;                   // CUDA_SHIM_CPU_DEBUG: faults name the thread and the line of the program
    bool keep = false;                    // CUDA_SHIM_CPU_KEEP: keep generated kernel sources
    std::string compiler;                 // CUDA_SHIM_CPU_CXX: command of the kernel compiler; empty: search
    std::string clang;           // CUDA_SHIM_CPU_CLANG: of the Clang that reads kernels beside another compiler
    std::string cache_dir;       // CUDA_SHIM_CACHE_DIR, or in the user's cache folder; empty: none is known
    std::string device_headers;  // CUDA_SHIM_CPU_DEVICE_HEADERS, or ../device beside this library
};

const Settings& settings() noexcept;

}  // namespace cuda_shim
