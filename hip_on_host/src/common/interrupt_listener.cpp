#include "common/interrupt_listener.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace cuda_shim {
namespace {

std::atomic<int> interrupts{0};
thread_local bool acts_for_main_thread = false;
struct sigaction previous_action;  // written by the main thread before ours is in place
// State of the outermost of nested listeners; only the main thread creates and queries it.
bool is_listened_for = false;
int count_at_first;  // number of interrupts when it began

void on_interrupt(int number, siginfo_t* info, void* context) {
    interrupts.fetch_add(1, std::memory_order_relaxed);
    if (previous_action.sa_flags & SA_SIGINFO) {
        previous_action.sa_sigaction(number, info, context);
    } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
        previous_action.sa_handler(number);
    }
}

bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_interrupt;
}

}  // namespace

bool is_main_thread() { return acts_for_main_thread || syscall(SYS_gettid) == getpid(); }

void act_for_main_thread(bool does) { acts_for_main_thread = does; }

bool interrupted_meanwhile() {
    return is_main_thread() && is_listened_for && interrupts.load(std::memory_order_relaxed) != count_at_first;
}

InterruptListener::InterruptListener() {
    if (!is_main_thread()) return;
    struct sigaction now, mine = {};
    if (sigaction(SIGINT, nullptr, &now) != 0) return;
    // Programs in the background ignore the signal, and others do so on purpose.
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN) return;
    if (is_ours(now)) {
        listens_ = true;
        interrupts_at_start_ = count_at_first;
        return;
    }
    previous_action = now;
    interrupts_at_start_ = count_at_first = interrupts.load(std::memory_order_relaxed);
    mine.sa_sigaction = on_interrupt;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    mine.sa_mask = previous_action.sa_mask;
    listens_ = is_first_ = is_listened_for = sigaction(SIGINT, &mine, nullptr) == 0;
}

InterruptListener::~InterruptListener() {
    struct sigaction now;
    if (is_first_) is_listened_for = false;
    if (is_first_ && sigaction(SIGINT, nullptr, &now) == 0 && is_ours(now))
        sigaction(SIGINT, &previous_action, nullptr);
}

bool InterruptListener::interrupted() const {
    return listens_ && interrupts.load(std::memory_order_relaxed) != interrupts_at_start_;
}

void InterruptListener::end_as_without_us() const {
    if ((previous_action.sa_flags & SA_SIGINFO) || previous_action.sa_handler != SIG_DFL) return;
    sigaction(SIGINT, &previous_action, nullptr);
    raise(SIGINT);
}

}  // namespace cuda_shim
