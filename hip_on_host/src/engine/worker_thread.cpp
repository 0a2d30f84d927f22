#include "engine/worker_thread.h"

#include <malloc.h>
#include <signal.h>

#include <cstddef>

#include "common/address_space.h"
#include "engine/faults.h"

namespace cuda_shim {
namespace {

// For functions of the program that a stream calls; kernels have stacks of their own. Pages are only taken when used.
constexpr size_t kWorkerStackBytes = 8u << 20;

// glibc sets 64 MiB of addresses aside for each thread that calls malloc. Where a limit holds, kernels need them more.
void share_heaps_under_a_limit() {
#ifdef M_ARENA_MAX
    if (addresses_are_limited()) mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace

bool start_worker_thread(pthread_t& thread, void* (*main)(void*), void* argument) {
    // Signals meant for the program go to its own threads; faults are always delivered where they happen.
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (int fault : kFaultSignals) sigdelset(&blocked, fault);
    sigdelset(&blocked, kStopSignal);
    share_heaps_under_a_limit();
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, kWorkerStackBytes);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const bool started = pthread_create(&thread, &attributes, main, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (started) pthread_setname_np(thread, "cuda_shim");
    return started;
}

}  // namespace cuda_shim
