// The stack of the calling thread.
#pragma once
#include <cstdint>

namespace cuda_shim {

// The stack's lowest address; 0 when the system does not report it.
uintptr_t stack_end();

// True if the stack has room for the variables that a kernel may keep for each thread of a block. The engine's own
// threads have it; the program chose the size of its own threads' stacks.
bool has_room_for_kernels();

}  // namespace cuda_shim
