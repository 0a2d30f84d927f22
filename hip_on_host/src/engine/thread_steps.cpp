#include "engine/thread_steps.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/files.h"
#include "common/log.h"
#include "common/settings.h"

namespace cuda_shim {
namespace {

std::string text_of(const uint32_t index[3]) {
    return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," + std::to_string(index[2]) + ")";
}

bool within(const uint32_t index[3], const Extent3& extent) {
    return index[0] < extent.x && index[1] < extent.y && index[2] < extent.z;
}

uint64_t linear(const uint32_t index[3], const Extent3& extent) {
    return index[0] + uint64_t{extent.x} * (index[1] + uint64_t{extent.y} * index[2]);
}

// The value as a number of its size, and as other types of the same size that programs use.
std::string value_at(uintptr_t address, uint64_t bytes) {
    char text[96] = "";
    const void* memory = reinterpret_cast<const void*>(address);
    if (bytes == 4) {
        int32_t integer;
        float real;
        memcpy(&integer, memory, sizeof integer);
        memcpy(&real, memory, sizeof real);
        snprintf(text, sizeof text, ": 0x%08x, %d as int, %g as float", static_cast<unsigned>(integer), integer,
                 static_cast<double>(real));
    } else if (bytes == 8) {
        long long integer;
        double real;
        memcpy(&integer, memory, sizeof integer);
        memcpy(&real, memory, sizeof real);
        snprintf(text, sizeof text, ": 0x%016llx, %lld as long long, %g as double",
                 static_cast<unsigned long long>(integer), integer, real);
    } else if (bytes <= 2) {
        int16_t wide = 0;
        int8_t narrow = 0;
        memcpy(&narrow, memory, sizeof narrow);
        if (bytes == 2) memcpy(&wide, memory, sizeof wide);
        snprintf(text, sizeof text, ": %d", bytes == 2 ? wide : narrow);
    } else {
        return "";
    }
    return text;
}

bool has_debugger() {
    std::string status;
    const char field[] = "TracerPid:\t";
    if (!read_file("/proc/self/status", status)) return false;
    const size_t at = status.find(field);
    return at != std::string::npos && status[at + sizeof field - 1] != '0';
}

// Stops by an instruction where there is one: gdb overlooks a mere signal while it is informed of new threads.
void stop_in_debugger() {
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
}

}  // namespace

void ThreadSteps::prepare(const KernelLaunch& launch) {
    const FollowedThread& target = settings().debug_thread;
    in_block_ = false;
    any_ = target.any && within(target.block, launch.grid) && within(target.thread, launch.block);
    if (any_ && !target.kernel.empty()) {
        any_ = fnmatch(target.kernel.c_str(), launch.kernel->name.c_str(), 0) == 0 ||
               fnmatch(target.kernel.c_str(), launch.kernel->symbol.source_name, 0) == 0;
    }
    if (!any_) return;
    block_ = linear(target.block, launch.grid);
    thread_ = static_cast<unsigned>(linear(target.thread, launch.block));
    who_ = launch.kernel->label + ", block " + text_of(target.block) + ", thread " + text_of(target.thread);
    pending_write_.clear();
}

void ThreadSteps::begin_thread(unsigned thread) {
    if (!followed(thread)) return;
    report("begins");
    if (has_debugger()) stop_in_debugger();
}

void ThreadSteps::end_thread(unsigned thread) {
    if (!followed(thread)) return;
    report_write();
    report("returns");
}

void ThreadSteps::print(const std::string& text) {
    report_write();
    report(text);
}

void ThreadSteps::print(const std::string& text, uintptr_t address, uint64_t bytes, bool writes) {
    report_write();
    if (!writes) return report(text + value_at(address, bytes));
    pending_write_ = text;
    pending_address_ = address;
    pending_bytes_ = bytes;
}

void ThreadSteps::report_write() {
    if (pending_write_.empty()) return;
    report(pending_write_ + value_at(pending_address_, pending_bytes_));
    pending_write_.clear();
}

void ThreadSteps::report(const std::string& text) const { log(LogLevel::Error, "%s: %s", who_.c_str(), text.c_str()); }

}  // namespace cuda_shim
