// Atomic operations on shared memory that need not be atomic.
//
// A block that is split at its barriers runs on one thread of the host, thread after thread, and its shared memory is
// that thread's own: no other thread comes in between. Only the blocks of a cluster see each other's; a launch that has
// clusters is known when it runs, and the prelude's cuda_shim_block_local then does the operation atomically.
//
// Proven is that the address is in a variable of the kernel that the compiler itself calls thread-local, or in the
// launch's dynamic shared memory: it is spelled with the variable's name, subscripts, members and sums, and no pointer
// is read on the way.
#pragma once
#include <set>

#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

// The tokens that name the operation in such calls of the kernel.
std::set<size_t> find_block_local_atomics(const KernelBody& body);

}  // namespace cuda_shim
