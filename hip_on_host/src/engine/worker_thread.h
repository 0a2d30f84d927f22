// Threads of the engine, deaf to the program's signals.
#pragma once
#include <pthread.h>

namespace cuda_shim {

// Starts main(argument) on a new joinable thread; false when the system has no room for one.
bool start_worker_thread(pthread_t& thread, void* (*main)(void*), void* argument);

}  // namespace cuda_shim
