// Kernels whose blocks go round their loops together.
//
// A block of a grid-stride loop reads a block's width of memory, then the next one a whole grid further on: prefetchers
// are of no use there, and every page is a new one. The blocks that a worker runs one after the other are neighbours,
// so together they read one long piece in each round, as a plain loop does.
#pragma once
#include <map>

#include "kernel_compiler/split/interchange.h"

namespace cuda_shim {

// May the loops over the threads of a block be loops over the threads of many? Yes where no value is kept for a thread
// from one loop to the next, nor for the block. Valid once the kept variables are chosen.
bool can_fuse_blocks(const KernelBody& body, const Uniformity& uniformity,
                     const std::map<const Statement*, StridedLoop>& strided);

}  // namespace cuda_shim
