// The one steady clock of the engine, in nanoseconds.
#pragma once
#include <time.h>

#include <cstdint>

namespace cuda_shim {

inline uint64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace cuda_shim
