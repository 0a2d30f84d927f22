// Objects of which each process has one, made on first use.
#pragma once
#include <pthread.h>

#include <atomic>

namespace cuda_shim {

// The object of the calling process. It is never destroyed: detached threads outlive static destructors, and a forked
// child leaks its parent's, as threads that the fork did not copy may hold its locks. Threads that are first at the
// same time may make several, of which all but one are deleted at once: T's constructor starts nothing.
template <class T>
class PerProcess {
public:
    static T& instance() {
        static_cast<void>(&registered_);
        T* object = current_.load(std::memory_order_acquire);
        if (object) return *object;
        auto* fresh = new T;
        if (current_.compare_exchange_strong(object, fresh, std::memory_order_acq_rel)) return *fresh;
        delete fresh;
        return *object;
    }

private:
    static void forget_in_child() { current_.store(nullptr, std::memory_order_relaxed); }

    static inline std::atomic<T*> current_{nullptr};
    // As the library loads: a static inside instance() would have a guard, and a fork while another thread holds that
    // leaves the child waiting for a thread that it does not have.
    static inline const int registered_ = pthread_atfork(nullptr, nullptr, forget_in_child);
};

}  // namespace cuda_shim
