// The stack of the calling thread.
#pragma once
#include <cstdint>

namespace cuda_shim {

// Its lowest address; 0 when the system does not say.
uintptr_t stack_end();

// Can a kernel keep on it what it may keep for each thread of a block? The engine's own threads have room; those of the
// program have whatever stacks it gave them.
bool has_room_for_kernels();

}  // namespace cuda_shim
