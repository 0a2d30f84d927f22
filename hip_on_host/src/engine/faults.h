// What stops a kernel, and the way back to the thread that ran it.
//
// A fault inside a kernel (SIGSEGV, SIGBUS, SIGFPE, SIGILL, or a trap of the kernel's own) abandons everything
// below run_protected, on whatever stack it ran, and the process lives on. Faults anywhere else go to the handler
// that was there before this library (Python's faulthandler, for one).
#pragma once
#include <signal.h>

#include <cstdint>

#include "abi/hip_types.h"
#include "engine/call_chain.h"
#include "engine/kernel.h"

namespace cuda_shim {

class FibreBlock;

// The signals that a kernel's own instructions raise.
#if defined(__aarch64__)
constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};  // __builtin_trap is a breakpoint there
#else
constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif

// Where a thread is stopped that others want to stop: nothing else uses it, and programs ignore it by default.
constexpr int kStopSignal = SIGURG;

// What a thread is running for a launch: kept where the signal handler finds it.
struct KernelFrame {
    const KernelLaunch* launch = nullptr;
    uint64_t first_block = 0;  // the blocks being run; one when its number is known
    uint64_t last_block = 0;
    const FibreBlock* fibres = nullptr;  // set while threads run as fibres

    // Filled when the kernel is stopped.
    hipError_t error = hipSuccess;
    int signal_number = 0;  // 0: the kernel or the runtime stopped it on purpose
    uintptr_t fault_address = 0;
    char reason[512] = "";       // empty for a signal
    const char* kind = "fault";  // of finding
    CallChain calls;             // where it was stopped, as far as that is known
    uintptr_t memory = 0;        // what it is about, where that is memory: address and bytes
    uint64_t memory_bytes = 0;
    bool quiet = false;  // another thread's fault is the one to report

    void* recovery_stack = nullptr;
    KernelFrame* outer = nullptr;
};

// Runs body(argument) as the kernel of `frame`. True when it returned; false when it was stopped.
bool run_protected(KernelFrame& frame, void (*body)(void*), void* argument);

// Where the kernel of the calling thread is, from a place in it and the frame pointer of the function that this is in.
CallChain calls_of_kernel(const void* place, const void* frame_pointer);

// Stops the kernel that the calling thread runs. `reason` is for the log, and copied; so is where it happened.
// `kind` is that of a finding (findings.h), a literal; `address` and `bytes` are of the memory it is about, if any.
[[noreturn]] void stop_kernel(hipError_t error, const char* reason, const CallChain& calls = {},
                              const char* kind = "fault", uintptr_t address = 0, uint64_t bytes = 0);
// Stops it without a line in the log: it waits for a thread that was stopped.
[[noreturn]] void stop_kernel_quietly();

// Stops the kernel that the calling thread runs if it was asked to stop (running_kernels.h). For the runtime's own code
// below run_protected, where nothing is half done.
void stop_kernel_if_asked();

// Wakes the threads that run kernels which were asked to stop: those that are in a kernel's own code are stopped there.
void interrupt_kernel_threads();

// A frame that says there was no memory to start with.
KernelFrame out_of_memory(const KernelLaunch& launch);

// The log's line about a stopped kernel.
void log_fault(const KernelFrame& frame);

// The library stays mapped until the process ends: threads and signal handlers of it may run at any time.
void keep_library_loaded();

}  // namespace cuda_shim
