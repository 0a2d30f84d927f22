#include "kernel_compiler/deep_stack.h"

#include <pthread.h>

#include <cstddef>
#include <exception>

#include "common/interrupt_listener.h"

namespace cuda_shim {
namespace {

// More than Clang has for its own parser; pages are only taken when used.
constexpr size_t kStackBytes = 64u << 20;

struct Work {
    const std::function<void()>& work;
    const bool for_main_thread;
    std::exception_ptr thrown = nullptr;
};

void* thread_main(void* argument) {
    Work& mine = *static_cast<Work*>(argument);
    act_for_main_thread(mine.for_main_thread);
    try {
        mine.work();
    } catch (...) {
        mine.thrown = std::current_exception();
    }
    return nullptr;
}

// The thread has its caller's signal mask: it gets no signal that the caller would not.
bool start(pthread_t& thread, Work& work) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    const bool success = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                         pthread_create(&thread, &attributes, thread_main, &work) == 0;
    pthread_attr_destroy(&attributes);
    return success;
}

}  // namespace

void with_deep_stack(const std::function<void()>& work) {
    Work shared_work{work, is_main_thread()};
    pthread_t thread;
    if (!start(thread, shared_work)) return work();
    pthread_join(thread, nullptr);
    if (shared_work.thrown) std::rethrow_exception(shared_work.thrown);
}

}  // namespace cuda_shim
