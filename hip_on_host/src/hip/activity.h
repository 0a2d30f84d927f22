// Profiles: a file with one line for each command that ran on the devices, with its time and the call of the program
// that it belongs to, while the program records them (hipExtRecordActivity).
#pragma once
#include <atomic>
#include <cstdint>

#include "hip/streams/command.h"

namespace cuda_shim {

class Device;

extern std::atomic<int> activity_file;  // -1: no recording

inline bool activity_enabled() { return __builtin_expect(activity_file.load(std::memory_order_relaxed) >= 0, 0); }

// Runs a command of a stream, and records its duration. The number of the null stream is 0.
hipError_t run_recorded(Command& command, Device& device, unsigned long long stream) noexcept;

// The stream and the call that a thread is working for.
struct RunningFor {
    unsigned long long stream = 0;
    uint64_t call = 0;
};
// The calling thread's value; another thread that runs a part of the work takes it over.
RunningFor& running_for();

// Runs a command of a graph that is being launched, which belongs to the launch's stream and call.
hipError_t run_recorded_step(Command& command, Device& device) noexcept;
inline hipError_t run_step(Command& command, Device& device) noexcept {
    return activity_enabled() ? run_recorded_step(command, device) : command.run(device);
}

}  // namespace cuda_shim
