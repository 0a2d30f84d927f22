// Waiting for a device in a way that the user can end. While the main thread waits in a call of ours, no handler that
// is written in Python can run: an interrupt (Ctrl-C) then reports which kernels are under way and stops them, so that
// the call returns with a failed launch and the program's own handler has its say.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "common/interrupt_listener.h"

namespace cuda_shim {

// Listens for SIGINT as long as it lives; on the main thread only, elsewhere it does nothing.
class InterruptWatch {
public:
    InterruptWatch();

    // Stops the kernels that run if there was an interrupt; to be called again and again.
    void act();
    // The time to wait before the next call of `act`.
    std::chrono::milliseconds pause() const;

private:
    std::optional<InterruptListener> listener_;
    bool has_reported_ = false;
};

// Waits on `changed` until `done` is true; `lock` holds the mutex that guards their state.
template <class Done>
void wait_interruptibly(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, const Done& done) {
    constexpr std::chrono::milliseconds kUnwatched(20);  // most waits are over by then
    if (!is_main_thread()) return condition.wait(lock, done);
    if (condition.wait_for(lock, kUnwatched, done)) return;
    InterruptWatch watch;
    while (!condition.wait_for(lock, watch.pause(), done)) {
        lock.unlock();
        watch.act();
        lock.lock();
    }
}

}  // namespace cuda_shim
