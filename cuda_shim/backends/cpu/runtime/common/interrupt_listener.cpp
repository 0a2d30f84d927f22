#include "common/interrupt_listener.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace cuda_shim {
namespace {

std::atomic<int> interrupts{0};
struct sigaction previous_action;  // written by the main thread before ours is in place

void on_interrupt(int number, siginfo_t* info, void* context) {
    interrupts.fetch_add(1, std::memory_order_relaxed);
    if (previous_action.sa_flags & SA_SIGINFO) {
        previous_action.sa_sigaction(number, info, context);
    } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
        previous_action.sa_handler(number);
    }
}

}  // namespace

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

InterruptListener::InterruptListener() {
    if (!is_main_thread()) return;
    struct sigaction mine = {};
    if (sigaction(SIGINT, nullptr, &previous_action) != 0) return;
    // Ignored on purpose: by programs in the background, and those that want to be.
    if (!(previous_action.sa_flags & SA_SIGINFO) && previous_action.sa_handler == SIG_IGN) return;
    seen_ = interrupts.load(std::memory_order_relaxed);
    mine.sa_sigaction = on_interrupt;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    mine.sa_mask = previous_action.sa_mask;
    listens_ = sigaction(SIGINT, &mine, nullptr) == 0;
}

InterruptListener::~InterruptListener() {
    if (!listens_) return;
    struct sigaction now;
    const bool still_ours =
        sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_interrupt;
    if (still_ours) sigaction(SIGINT, &previous_action, nullptr);
}

bool InterruptListener::interrupted() const { return listens_ && interrupts.load(std::memory_order_relaxed) != seen_; }

void InterruptListener::end_as_without_us() const {
    if ((previous_action.sa_flags & SA_SIGINFO) || previous_action.sa_handler != SIG_DFL) return;
    sigaction(SIGINT, &previous_action, nullptr);
    raise(SIGINT);
}

}  // namespace cuda_shim
