#include "hip/activity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "abi/export.h"
#include "common/log.h"
#include "engine/clock.h"
#include "hip/api.h"
#include "hip/contexts/device.h"

extern "C" {
// Extensions of this runtime, for tools that serve a program. They change no error that the program may query.

// From now on appends a line to the file at `path` for each kernel, copy, fill and host function that ran; null: no
// more.
CUDA_SHIM_API hipError_t hipExtRecordActivity(const char* path);
// A number for a place of the program, for hipExtSetCall.
CUDA_SHIM_API hipError_t hipExtPlaceOfCall(const char* text, uint32_t* place);
// Attributes the calling thread's work from now on to the place; `number` is the call's in its process.
CUDA_SHIM_API hipError_t hipExtSetCall(uint32_t place, uint64_t number);
}

namespace cuda_shim {

std::atomic<int> activity_file{-1};

namespace {

// Fields are divided by tabs; the last one is a text that may hold anything but a new line.
void write_activity(const Activity& activity, const Command& command, const Device& device, uint64_t begin,
                    uint64_t end) {
    std::string line = "device\t" + std::to_string(getpid()) + "\t" + std::to_string(begin) + "\t" +
                       std::to_string(end) + "\t" + std::to_string(running_for().call) + "\t" +
                       std::to_string(device.ordinal()) + "\t" + std::to_string(running_for().stream) + "\t" +
                       std::to_string(activity.bytes) + "\t" + activity.kind + "\t" +
                       describe_call(command.origin.place) + "\t" + activity.name;
    for (char& c : line) {
        if (c == '\n') c = ' ';
    }
    line += '\n';
    const int file = activity_file.load(std::memory_order_relaxed);
    if (file < 0 || write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
    log(LogLevel::Error, "the profile cannot be written any more: %s", strerror(errno));
    activity_file.store(-1);
}

}  // namespace

RunningFor& running_for() {
    thread_local RunningFor what;
    return what;
}

hipError_t run_recorded_step(Command& command, Device& device) noexcept {
    const Activity activity = command.activity();
    if (!activity.kind) return command.run(device);
    const uint64_t begin = nanoseconds();
    const hipError_t status = command.run(device);
    const uint64_t end = nanoseconds();
    try {
        write_activity(activity, command, device, begin, end);
    } catch (const std::bad_alloc&) {
        log(LogLevel::Error, "the profile lacks a line: no memory");
    }
    return status;
}

hipError_t run_recorded(Command& command, Device& device, unsigned long long stream) noexcept {
    const RunningFor before = running_for();
    running_for() = {stream, command.origin.number};
    const hipError_t status = run_recorded_step(command, device);
    running_for() = before;
    return status;
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipExtRecordActivity(const char* path) {
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (path && file < 0) return hipErrorFileNotFound;
    const int before = activity_file.exchange(file);
    if (before >= 0) close(before);
    return hipSuccess;
}

hipError_t hipExtPlaceOfCall(const char* text, uint32_t* place) {
    if (!text || !place) return hipErrorInvalidValue;
    try {
        *place = place_of_call(text);
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    }
    return hipSuccess;
}

hipError_t hipExtSetCall(uint32_t place, uint64_t number) {
    current_call = {place, number};
    return hipSuccess;
}
