// Block-local atomics: atomic operations on shared memory that become plain ones.
//
// Problem: `atomicAdd(&bins[i], 1)` on shared memory is a locked instruction, and no loop with one vectorises.
//
//   before: atomicAdd(&bins[i], 1);
//   after:  cuda_shim_block_local(cuda_shim_no_cluster).atomicAdd(&bins[i], 1);
//
// A block that is split at its barriers runs on one host thread, so no other thread sees its shared memory between the
// read and the write. The blocks of a cluster do see each other's memory: whether a launch has clusters is known when
// it runs, and the prelude's cuda_shim_block_local then operates atomically.
//
// Precondition: the address is proven to be in a variable of the kernel that the compiler calls thread-local, or in the
// launch's dynamic shared memory: it is spelled with the variable's name, subscripts, members and sums, and no pointer
// is read on the way. This holds in every instantiation of a template.
//
// Limits: the operations and types of is_plain_operation; not their _block and _system variants.
#pragma once
#include <set>

#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

// The tokens that name the operation in such calls of the kernel.
std::set<size_t> find_block_local_atomics(const KernelBody& body);

}  // namespace cuda_shim
