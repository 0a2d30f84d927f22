// Room for code that goes down a program's syntax tree: a thread of the program may have a stack of a few KiB.
#pragma once
#include <functional>

namespace cuda_shim {

// Does the work on a thread that has a large stack and acts for the calling one, which waits for it. An exception from
// the work is thrown here. Where the system has no room for a thread, the work is done on the caller's.
void with_deep_stack(const std::function<void()>& work);

}  // namespace cuda_shim
