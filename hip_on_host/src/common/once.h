// std::call_once for functions that may run out of memory.
#pragma once
#include <atomic>
#include <exception>
#include <mutex>
#include <new>

namespace cuda_shim {

// An exception that passes through the C library's pthread_once has it load a library to unwind with; where there is no
// memory for that, the process ends. So no exception passes through it here. The next call after an exception tries
// again, as with call_once.
class Once {
public:
    template <class Body>
    void run(Body&& body) {
        while (!done_.load(std::memory_order_acquire)) {
            std::exception_ptr failure;
            std::call_once(flag_, [&] {
                try {
                    body();
                    done_.store(true, std::memory_order_release);
                } catch (...) {
                    failure = std::current_exception();
                }
            });
            if (!failure) continue;
            new (&flag_) std::once_flag;
            std::rethrow_exception(failure);
        }
    }

private:
    std::once_flag flag_;
    std::atomic<bool> done_{false};
};

}  // namespace cuda_shim
