// Sleeping on a word of memory, for the pool and the grid barrier.
#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace cuda_shim {

// Returns when `word` no longer holds `seen`, or spuriously: callers look again.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<uint32_t>& word, int how_many = INT_MAX) {
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, how_many, nullptr, nullptr, 0);
}

// Tells the core that this is a spin, so that a sibling hyper-thread gets the execution units.
inline void relax_cpu() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace cuda_shim
