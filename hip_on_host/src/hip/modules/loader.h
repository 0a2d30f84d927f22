// Opening and closing shared libraries. glibc's loader has a lock that fork() does not take: a child that was forked
// while another thread loaded a module would wait for it for ever. So one lock of the runtime is around both, and takes
// part in forks.
#pragma once

#include <string>

namespace cuda_shim {

// As dlopen() and dlclose(); the message of dlerror() is the calling thread's, as ever.
void* open_library(const std::string& path, int flags);
void close_library(void* library);

}  // namespace cuda_shim
