// Block fusion: a loop over the threads of a block becomes a loop over the threads of many blocks.
//
// Problem: a block of a grid-stride loop reads one block's width of memory, then the next a whole grid further on, so
// prefetchers do not help and every page is a new one.
//
//   before: for each block b: for (k...) for each thread t: body(b, t, k)
//   after:  for (k...) for each block b of the run: for each thread t: body(b, t, k)
//
// The blocks that a worker runs one after the other are neighbours, so each iteration reads one contiguous piece.
// Around a loop that is the same for all threads (`for (z...) out[z * n * n + i] = in[...]`), some blocks of the run
// are taken together: later iterations find the memory of earlier ones in the cache.
//
// Precondition: no value lives from one loop to the next, neither a thread's nor the block's, and the program has no
// shared memory.
//
// Limits: kernels that are declarations, guards and such loops, and nothing else. Loops that are not strided
// (interchange.h) access only elements whose index grows with the loop's variable: others would be in the cache when
// one block is run after the other.
#pragma once
#include <map>

#include "kernel_compiler/split/interchange.h"

namespace cuda_shim {

// The blocks that one loop passes over: one, all of a run, or the run in parts.
enum class BlockFusion { None, Run, Parts };

// Valid once the variables that live across regions are chosen.
BlockFusion choose_block_fusion(const KernelBody& body, const Uniformity& uniformity,
                                const std::map<const Statement*, StridedLoop>& strided);

}  // namespace cuda_shim
