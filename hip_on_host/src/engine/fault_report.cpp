#include "engine/fault_report.h"

#include <stdio.h>

#include <string>

#include "common/log.h"
#include "common/settings.h"
#include "engine/fibre_block.h"
#include "engine/findings.h"
#include "engine/host_addresses.h"
#include "engine/loaded_module.h"
#include "engine/program_call.h"
#include "engine/running_kernels.h"

namespace cuda_shim {
namespace {

const char* describe_signal(const KernelFrame& frame) {
    if (frame.is_jump) return "call or return to where no code is,";
    switch (frame.signal_number) {
        case SIGSEGV:
            return "illegal memory access";
        case SIGBUS:
            return "bus error (misaligned or truncated mapping)";
        case SIGFPE:
            return "integer division by zero or overflow";
        case SIGILL:
            return "illegal instruction";
        case SIGTRAP:
            return "breakpoint or trap instruction";
        default:
            return *frame.reason ? frame.reason : "unknown fault";
    }
}

Extent3 index_of_block(const KernelLaunch& launch, uint64_t block) {
    return {static_cast<uint32_t>(block % launch.grid.x), static_cast<uint32_t>(block / launch.grid.x % launch.grid.y),
            static_cast<uint32_t>(block / launch.grid.x / launch.grid.y)};
}

void set_index(int64_t index[3], const Extent3& from) {
    index[0] = from.x;
    index[1] = from.y;
    index[2] = from.z;
}

// True if a checked run would report more: it stops a kernel at the wrong access, where this run has no line.
bool can_check_find_line(const KernelFrame& frame, const std::string& place) {
    return !settings().check && place.empty() && frame.error != hipErrorOutOfMemory &&
           stop_request(frame) == StopReason::None;
}

// Names arguments that hold addresses of host memory where their use may be the fault; else empty.
std::string describe_host_addresses(const KernelFrame& frame) {
    const KernelLaunch& launch = *frame.launch;
    const bool is_access = frame.signal_number == SIGSEGV || frame.signal_number == SIGBUS || is_marked(frame.memory);
    const uintptr_t address = frame.signal_number ? frame.fault_address : frame.memory;
    if (!is_access || !launch.host_addresses || !launch.host_addresses->may_explain(address)) return "";
    return ": " + launch.host_addresses->describe(launch.kernel->symbol.parameter_names);
}

std::string describe_block(const KernelLaunch& launch, uint64_t block) {
    const auto [x, y, z] = index_of_block(launch, block);
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

// Returns where the kernel was stopped, in words for the log; the finding gets the same as numbers.
std::string locate(const KernelFrame& frame, Finding& finding) {
    const KernelLaunch& launch = *frame.launch;
    std::string where = "block " + describe_block(launch, frame.first_block);
    if (frame.last_block > frame.first_block + 1) {
        where = "a block from " + describe_block(launch, frame.first_block) + " to " +
                describe_block(launch, frame.last_block - 1);
    } else {
        set_index(finding.block, index_of_block(launch, frame.first_block));
    }
    if (frame.fibres && (frame.calls.thread >= 0 || frame.fibres->knows_current_thread())) {
        const int culprit = frame.calls.thread;
        const unsigned thread = culprit < 0 ? frame.fibres->current_thread() : static_cast<unsigned>(culprit);
        where += ", thread " + frame.fibres->describe_thread(thread);
        set_index(finding.thread, frame.fibres->index_of_thread(thread));
    }
    if (const LoadedModule* module = launch.kernel->module) {
        finding.place = module->describe_place(frame.calls);
        if (!finding.place.empty()) where += ", at " + finding.place;
    }
    return where;
}

}  // namespace

void report_fault(const KernelFrame& frame) {
    if (frame.quiet) return;
    const KernelLaunch& launch = *frame.launch;
    Finding finding;
    const std::string where = locate(frame, finding);
    char address[40] = "";
    if (frame.fault_address) {
        snprintf(address, sizeof address, " at address 0x%zx", static_cast<size_t>(frame.fault_address));
    }
    const std::string call = describe_call(launch.call);
    const std::string host = describe_host_addresses(frame);
    log(LogLevel::Error, "kernel %s was stopped in %s: %s%s%s%s%s%s%s", launch.kernel->label.c_str(), where.c_str(),
        describe_signal(frame), address, host.c_str(), call.empty() ? "" : "; it was launched at ", call.c_str(),
        frame.error == hipErrorOutOfMemory
            ? ""
            : "; the device refuses work until it is reset (cudaDeviceReset, cuDevicePrimaryCtxReset)",
        can_check_find_line(frame, finding.place) ? "; CUDA_SHIM_CPU_CHECK=1 (run --cpu-check) finds the line" : "");
    if (!settings().check || frame.error == hipErrorOutOfMemory || stop_request(frame) == StopReason::Interrupted)
        return;
    finding.kind = frame.kind;
    finding.message = std::string(describe_signal(frame)) + address + host;
    finding.kernel = launch.kernel->label;
    finding.address = frame.fault_address ? frame.fault_address : frame.memory;
    finding.bytes = frame.memory_bytes;
    finding.call = launch.call;
    finding.error = frame.error;
    finding.device = launch.device;
    report_finding(finding);
}

}  // namespace cuda_shim
