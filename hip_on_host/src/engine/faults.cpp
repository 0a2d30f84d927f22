#include "engine/faults.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/log.h"
#include "common/once.h"
#include "common/settings.h"
#include "engine/context_switch.h"
#include "engine/fibre_block.h"
#include "engine/integer_division.h"
#include "engine/kernel_stacks.h"
#include "engine/loaded_module.h"
#include "engine/per_thread.h"
#include "engine/running_kernels.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_shim {
namespace {

// Read in signal handlers, on threads that never ran a kernel too: the initial-exec model is a plain load, where
// the default one may allocate.
__attribute__((tls_model("initial-exec"))) thread_local KernelFrame* current_frame = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local KernelStacks* kernel_stack = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local void* kernel_stack_top = nullptr;

// The room of the stack on which a thread runs kernels: 3 MiB for a block's variables (CUDA_SHIM_SPLIT_BYTES for each
// of its threads), the code's own frames, and those of recursive functions.
constexpr size_t kKernelStackBytes = 8u << 20;

struct sigaction previous_actions[NSIG];

// A fault on an exhausted stack can only be handled on another one.
class AlternateStack {
    // The widest registers take 11 KiB in a signal frame, and a handler behind ours may write a traceback.
    static constexpr size_t kBytes = 128u << 10;

public:
    AlternateStack() {
        stack_t existing;
        if (sigaltstack(nullptr, &existing) == 0 && !(existing.ss_flags & SS_DISABLE)) return;
        memory_.reset(new char[kBytes]);
        stack_t alternate_stack = {};
        alternate_stack.ss_sp = memory_.get();
        alternate_stack.ss_size = kBytes;
        if (sigaltstack(&alternate_stack, nullptr) != 0) memory_.reset();
    }
    ~AlternateStack() {
        stack_t current;
        if (!memory_ || sigaltstack(nullptr, &current) != 0 || current.ss_sp != memory_.get()) return;
        stack_t none = {};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }

private:
    std::unique_ptr<char[]> memory_;
};

// The threads that run kernels: they are signalled to stop one.
class KernelThreads {
public:
    static void add_this() {
        KernelThreads& list = instance();
        std::lock_guard<std::mutex> lock(list.mutex_);
        list.threads_.push_back(pthread_self());
    }
    static void remove_this() {
        KernelThreads& list = instance();
        std::lock_guard<std::mutex> lock(list.mutex_);
        const auto is_this = [](pthread_t thread) { return pthread_equal(thread, pthread_self()) != 0; };
        list.threads_.erase(std::remove_if(list.threads_.begin(), list.threads_.end(), is_this), list.threads_.end());
    }
    static void interrupt_all() {
        KernelThreads& list = instance();
        std::lock_guard<std::mutex> lock(list.mutex_);
        for (const pthread_t thread : list.threads_) pthread_kill(thread, kStopSignal);
    }
    // A forked child has only the thread that forked, and leaks its parent's list, whose lock may have been held.
    static void start_anew_in_child() {
        current().store(new KernelThreads, std::memory_order_relaxed);
        if (kernel_stack) add_this();
    }

private:
    static std::atomic<KernelThreads*>& current() {
        static std::atomic<KernelThreads*> list{new KernelThreads};
        return list;
    }
    static KernelThreads& instance() { return *current().load(std::memory_order_acquire); }

    std::mutex mutex_;
    std::vector<pthread_t> threads_;
};

// Resources of a thread that runs kernels.
struct KernelThread {
    KernelThread() {
        if (!stack.reserve(1)) throw std::bad_alloc();
        KernelThreads::add_this();
        kernel_stack = &stack;
        kernel_stack_top = stack.top(0);
    }
    ~KernelThread() {
        kernel_stack = nullptr;
        kernel_stack_top = nullptr;
        KernelThreads::remove_this();
    }

    KernelStacks stack{kKernelStackBytes};
    AlternateStack signal_stack;
};

// Makes the interrupted thread continue in cuda_shim_recover when the handler returns: so the system restores the
// signal mask and leaves the alternate stack by itself. From here on the thread runs no kernel of the frame, so that a
// fault on the way back is none of the kernel's and is not handled again and again.
void divert_to_recovery(void* context, const KernelFrame& frame) {
    current_frame = frame.outer;
    auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    machine.gregs[REG_RIP] = reinterpret_cast<greg_t>(cuda_shim_recover);
    machine.gregs[REG_RDI] = reinterpret_cast<greg_t>(frame.recovery_stack);
    machine.gregs[REG_RSI] = 1;
    machine.gregs[REG_EFL] &= ~greg_t{0x400};  // the direction flag is clear at every call
#else
    machine.pc = reinterpret_cast<uintptr_t>(cuda_shim_recover);
    machine.regs[0] = reinterpret_cast<uintptr_t>(frame.recovery_stack);
    machine.regs[1] = 1;
#endif
}

[[noreturn]] void recover(const KernelFrame& frame) {
    current_frame = frame.outer;
    cuda_shim_recover(frame.recovery_stack, 1);
}

hipError_t error_of_signal(int number) {
    return number == SIGSEGV || number == SIGBUS ? hipErrorIllegalAddress : hipErrorLaunchFailure;
}

void pass_on(int number, siginfo_t* info, void* context) {
    const struct sigaction& previous = previous_actions[number];
    if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(number, info, context);
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(number);
    const bool sent = info->si_code <= 0;  // by kill() or raise(), not by the instruction under way
    if (sent && previous.sa_handler == SIG_IGN) return;
    signal(number, SIG_DFL);
    if (sent) raise(number);  // delivered when this handler returns; a real fault simply happens again
}

// Frames are followed on the stacks of fibres, in modules that were compiled to have them.
void collect_calls(const KernelFrame& frame, uintptr_t place, uintptr_t frame_pointer, CallChain& calls) {
    const LoadedModule* module = frame.launch->kernel->module;
    const bool has_frames = module && module->runs_single_threads() && module->contains(place);
    const bool on_stack = has_frames && frame.fibres && frame.fibres->is_on_own_stack(frame_pointer);
    calls.collect(place, frame_pointer, on_stack ? frame.fibres->stack_limit() : 0);
}

uintptr_t interrupted_place(void* context) {
    const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#else
    return static_cast<uintptr_t>(machine.pc);
#endif
}

uintptr_t interrupted_stack(void* context) {
    const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#else
    return static_cast<uintptr_t>(machine.sp);
#endif
}

// True if an instruction goes to an address that it takes from a register or from memory. The processor stops there if
// the address is in a form that none has.
bool goes_elsewhere(uintptr_t instruction) {
#if defined(__x86_64__)
    constexpr int kCall = 2, kJump = 4;
    const auto* at = reinterpret_cast<const uint8_t*>(instruction);
    if (*at == 0xf2 || *at == 0xf3 || *at == 0x3e) ++at;
    if ((*at & 0xf0) == 0x40) ++at;
    const int operation = (at[1] >> 3) & 7;
    return *at == 0xc3 || (*at == 0xff && (operation == kCall || operation == kJump));
#else
    (void)instruction;
    return false;  // the processor goes to any address first
#endif
}

// True if a fault is a call, a jump or a return to an address without code.
bool is_jump(int number, const siginfo_t& info, void* context) {
    if (number != SIGSEGV && number != SIGBUS) return false;
    const uintptr_t place = interrupted_place(context);
    if (info.si_code > 0 && info.si_code != SI_KERNEL) return reinterpret_cast<uintptr_t>(info.si_addr) == place;
    return info.si_code == SI_KERNEL && goes_elsewhere(place);
}

bool is_on_stack_of_kernel(const KernelFrame& frame, uintptr_t address) {
    const uintptr_t last = address + sizeof(uintptr_t) - 1;
    return frame.fibres ? frame.fibres->is_on_own_stack(address) && frame.fibres->is_on_own_stack(last)
                        : kernel_stack->contains(address) && address >= kernel_stack->bottom(0) &&
                              last < reinterpret_cast<uintptr_t>(kernel_stack_top);
}

// The instruction that raised the signal, and the calls above it.
void collect_interrupted_calls(const KernelFrame& frame, void* context, CallChain& calls) {
    const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto frame_pointer = static_cast<uintptr_t>(machine.gregs[REG_RBP]);
#else
    const auto frame_pointer = static_cast<uintptr_t>(machine.regs[29]);
#endif
    uintptr_t place = interrupted_place(context) + 1;
#if defined(__x86_64__)
    // A call that went wrong has left the address to return to.
    const LoadedModule* module = frame.launch->kernel->module;
    if (frame.is_jump && module && !module->contains(place) && is_on_stack_of_kernel(frame, frame.stack_pointer))
        place = *reinterpret_cast<const uintptr_t*>(frame.stack_pointer);
#endif
    collect_calls(frame, place, frame_pointer, calls);
}

void on_fault(int number, siginfo_t* info, void* context) {
    KernelFrame* frame = current_frame;
    // A handler installed after ours (faulthandler again) ends by raising the signal for us: that is a fault of
    // the kernel still. A signal from another process is not.
    if (!frame || info->si_code == SI_USER) return pass_on(number, info, context);
    if (number == SIGFPE && info->si_code == FPE_INTDIV && divide_as_a_gpu(context)) return;
    frame->error = error_of_signal(number);
    frame->signal_number = number;
    frame->fault_address = info->si_code > 0 ? reinterpret_cast<uintptr_t>(info->si_addr) : 0;
    frame->stack_pointer = interrupted_stack(context);
    frame->is_jump = is_jump(number, *info, context);
    if (frame->is_jump) frame->error = hipErrorLaunchFailure;
    collect_interrupted_calls(*frame, context, frame->calls);
    divert_to_recovery(context, *frame);
}

const char* describe_stop(StopReason reason) {
    switch (reason) {
        case StopReason::Interrupted:
            return "the program was interrupted (SIGINT)";
        case StopReason::Reset:
            return "its device is reset";
        case StopReason::Timeout:
            return "it ran for longer than CUDA_SHIM_CPU_KERNEL_TIMEOUT allows";
        default:
            return "another block of the launch was stopped";
    }
}

// One of the threads that run the launch reports the stop; none does where the program asked for it itself.
void describe_stopped(KernelFrame& frame, StopReason reason) {
    frame.error = reason == StopReason::Timeout ? hipErrorLaunchTimeOut : hipErrorLaunchFailure;
    frame.quiet = reason != StopReason::Interrupted && reason != StopReason::Timeout;
    frame.kind = "timeout";
    strcpy(frame.reason, describe_stop(reason));
}

// Handles a request to stop a kernel. A thread in the kernel's own code holds no resource of this library or of the C
// library, so it stops there. Elsewhere it goes on, and is asked again.
void on_stop(int number, siginfo_t* info, void* context) {
    KernelFrame* frame = current_frame;
    const struct sigaction& previous = previous_actions[number];
    const bool ours = info->si_code == SI_TKILL && info->si_pid == getpid();
    if (!ours && (previous.sa_flags & SA_SIGINFO)) return previous.sa_sigaction(number, info, context);
    if (!ours && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(number);
    if (!ours || !frame) return;
    const StopReason reason = stop_request(*frame);
    const LoadedModule* module = frame->launch->kernel->module;
    if (reason == StopReason::None || !module || !module->contains(interrupted_place(context))) return;
    describe_stopped(*frame, reason);
    collect_interrupted_calls(*frame, context, frame->calls);
    divert_to_recovery(context, *frame);
}

void install(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
    sigemptyset(&action.sa_mask);
    // Stored before ours is in place, as a fault may come at any time.
    sigaction(number, nullptr, &previous_actions[number]);
    sigaction(number, &action, nullptr);
}

void install_handlers() {
    static Once once;
    once.run([] {
        keep_library_loaded();
        for (int number : kFaultSignals) install(number, on_fault, 0);
        install(kStopSignal, on_stop, SA_RESTART);
        pthread_atfork(nullptr, nullptr, KernelThreads::start_anew_in_child);
    });
}

__attribute__((noinline)) void prepare_thread() {
    if (settings().faults) install_handlers();
    thread_object<KernelThread>();
}

#if defined(__SANITIZE_ADDRESS__)
// The lowest address of the calling thread's own stack; 0 when the system does not report it.
uintptr_t stack_end() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    void* lowest = nullptr;
    size_t bytes = 0;
    const bool ok = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return ok ? reinterpret_cast<uintptr_t>(lowest) : 0;
}
#endif

// The address sanitizer marks frames on the stack, and the frames below here were left without removing their marks.
inline void abandon_frames_below() {
    kernel_stack->abandon_frames();
#if defined(__SANITIZE_ADDRESS__)
    const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const uintptr_t end = stack_end();
    if (end) __asan_unpoison_memory_region(reinterpret_cast<void*>(end), frame - end);
#endif
}

// True if a stack grew into its guard.
bool is_stack_overflow(const KernelFrame& frame) {
    if (frame.signal_number != SIGSEGV || !frame.fault_address) return false;
    return kernel_stack->is_overflow(frame.fault_address, frame.stack_pointer) ||
           (frame.fibres && frame.fibres->is_overflow(frame.fault_address, frame.stack_pointer));
}

}  // namespace

StopReason stop_request(const KernelFrame& frame) {
    return frame.launch->running ? frame.launch->running->stopped() : StopReason::None;
}

bool run_protected(KernelFrame& frame, void (*body)(void*), void* argument) {
    if (!kernel_stack) prepare_thread();
    frame.outer = current_frame;
    current_frame = &frame;
    const int stopped = cuda_shim_call_recoverable(&frame.recovery_stack, body, argument);
    current_frame = frame.outer;
    if (stopped) abandon_frames_below();
    if (stopped && is_stack_overflow(frame)) {
        frame.error = hipErrorIllegalAddress;  // as on an H200
        frame.signal_number = 0;
        snprintf(frame.reason, sizeof frame.reason, "stack overflow");
    }
    return !stopped;
}

void call_on_kernel_stack(void (*function)(void*), void* argument) {
    cuda_shim_call_on_stack(kernel_stack_top, function, argument);
}

CallChain calls_of_kernel(const void* place, const void* frame_pointer) {
    CallChain calls;
    if (!current_frame) return calls;
    collect_calls(*current_frame, reinterpret_cast<uintptr_t>(place), reinterpret_cast<uintptr_t>(frame_pointer),
                  calls);
    return calls;
}

void stop_kernel(hipError_t error, const char* reason, const CallChain& calls, const char* kind, uintptr_t address,
                 uint64_t bytes) {
    KernelFrame* frame = current_frame;
    if (!frame) {
        log(LogLevel::Error, "a kernel service was called outside a kernel: %s; the process cannot go on", reason);
        abort();
    }
    frame->error = error;
    snprintf(frame->reason, sizeof frame->reason, "%s", reason);
    frame->calls = calls;
    frame->kind = kind;
    frame->memory = address;
    frame->memory_bytes = bytes;
    recover(*frame);
}

void stop_kernel_quietly() {
    if (current_frame) current_frame->quiet = true;
    stop_kernel(hipErrorLaunchFailure, "another block of the launch was stopped");
}

void stop_kernel_if_requested() {
    KernelFrame* frame = current_frame;
    if (!frame) return;
    const StopReason reason = stop_request(*frame);
    if (reason == StopReason::None) return;
    describe_stopped(*frame, reason);
    recover(*frame);
}

void interrupt_kernel_threads() { KernelThreads::interrupt_all(); }

KernelFrame out_of_memory(const KernelLaunch& launch) {
    KernelFrame frame;
    frame.launch = &launch;
    frame.last_block = 1;
    frame.error = hipErrorOutOfMemory;
    snprintf(frame.reason, sizeof frame.reason, "no memory for its threads");
    return frame;
}

void keep_library_loaded() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void*>(keep_library_loaded), &info) || !info.dli_fname) return;
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);  // the handle is kept on purpose
}

}  // namespace cuda_shim
