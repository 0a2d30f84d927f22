// Faults that stop a kernel, and the way back to the thread that ran it.
//
// A fault inside a kernel (SIGSEGV, SIGBUS, SIGFPE, SIGILL, or a trap of the kernel's own) abandons all frames below
// run_protected, on any stack, and the process lives on. Faults anywhere else go to the handler that was there before
// this library (Python's faulthandler, for one).
#pragma once
#include <signal.h>

#include <cstdint>

#include "abi/hip_types.h"
#include "engine/call_chain.h"
#include "engine/kernel.h"

namespace cuda_shim {

class FibreBlock;
enum class StopReason : int;

// The signals that a kernel's own instructions raise.
#if defined(__aarch64__)
constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};  // __builtin_trap is a breakpoint there
#else
constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif

// The signal that interrupts a thread to stop its kernel: nothing else uses it, and programs ignore it by default.
constexpr int kStopSignal = SIGURG;

// The part of a launch that a thread runs, kept where the signal handler finds it.
struct KernelFrame {
    const KernelLaunch* launch = nullptr;
    uint64_t first_block = 0;  // the blocks being run; one when its number is known
    uint64_t last_block = 0;
    const FibreBlock* fibres = nullptr;  // set while threads run as fibres

    // Filled when the kernel is stopped.
    hipError_t error = hipSuccess;
    int signal_number = 0;  // 0: the kernel or the runtime stopped it on purpose
    uintptr_t fault_address = 0;
    uintptr_t stack_pointer = 0;  // at the fault
    bool is_jump = false;         // a call or a return to where no code is
    char reason[512] = "";        // empty for a signal
    const char* kind = "fault";   // kind of the finding
    CallChain calls;              // the place where it was stopped, as far as it is known
    uintptr_t memory = 0;         // the memory concerned, if any: address and bytes
    uint64_t memory_bytes = 0;
    bool quiet = false;  // another thread's fault is the one to report

    void* recovery_stack = nullptr;
    KernelFrame* outer = nullptr;
};

// Runs body(argument), which runs blocks of the kernel of `frame`. True when it returned; false when it was stopped.
// Throws std::bad_alloc where the calling thread can get no stack for kernels.
bool run_protected(KernelFrame& frame, void (*body)(void*), void* argument);

// Calls function(argument), which calls a kernel, on the calling thread's stack for kernels: below run_protected.
void call_on_kernel_stack(void (*function)(void*), void* argument);

// Returns the call chain of the calling thread's kernel, from a place in it and the frame pointer of the function that
// contains the place.
CallChain calls_of_kernel(const void* place, const void* frame_pointer);

// Stops the kernel that the calling thread runs. `reason` is for the log, and copied; so is where it happened.
// `kind` is that of a finding (findings.h), a literal; `address` and `bytes` are of the memory it is about, if any.
[[noreturn]] void stop_kernel(hipError_t error, const char* reason, const CallChain& calls = {},
                              const char* kind = "fault", uintptr_t address = 0, uint64_t bytes = 0);
// Stops it without a line in the log: it waits for a thread that was stopped.
[[noreturn]] void stop_kernel_quietly();

// Stops the kernel that the calling thread runs if it was asked to stop (running_kernels.h). For the runtime's own code
// below run_protected, where nothing is half done.
void stop_kernel_if_requested();

// Returns why the kernel of a frame was asked to stop (running_kernels.h), StopReason::None if it was not.
StopReason stop_request(const KernelFrame& frame);

// Wakes the threads that run kernels which were asked to stop: threads in a kernel's own code are stopped there.
void interrupt_kernel_threads();

// A frame that reports a lack of memory to start with.
KernelFrame out_of_memory(const KernelLaunch& launch);

// The library stays mapped until the process ends: threads and signal handlers of it may run at any time.
void keep_library_loaded();

}  // namespace cuda_shim
