// The one steady clock of the engine, in nanoseconds, and the rate of the clock that kernels read.
#pragma once
#include <time.h>

#include <cstdint>

namespace cuda_shim {

inline uint64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// kHz of the host's cores, as the machine reports it; 1,000,000 when it does not.
int clock_rate();

}  // namespace cuda_shim
