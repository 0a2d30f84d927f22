// Profiles: what ran on the devices, when, and for which call of the program; a line each in a file, as long as
// somebody wants that (hipExtRecordActivity).
#pragma once
#include <atomic>
#include <cstdint>

#include "hip/streams/command.h"

namespace cuda_shim {

class Device;

extern std::atomic<int> activity_file;  // -1: nobody wants to know

inline bool activity_wanted() { return __builtin_expect(activity_file.load(std::memory_order_relaxed) >= 0, 0); }

// Runs a command of a stream, and says how long that took. The number of the null stream is 0.
hipError_t run_recorded(Command& command, Device& device, unsigned long long stream) noexcept;

// What a thread is running for a stream.
struct RunningFor {
    unsigned long long stream = 0;
    uint64_t call = 0;
};
// Of the calling thread; another that runs a part of it takes it over.
RunningFor& running_for();

// Runs a command of a graph that is being launched, which belongs to the launch's stream and call.
hipError_t run_recorded_step(Command& command, Device& device) noexcept;
inline hipError_t run_step(Command& command, Device& device) noexcept {
    return activity_wanted() ? run_recorded_step(command, device) : command.run(device);
}

}  // namespace cuda_shim
