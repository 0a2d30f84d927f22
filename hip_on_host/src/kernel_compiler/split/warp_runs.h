// Warp runs: statements in which threads wait for their warp alone run for one warp after the other.
//
// Problem: a shuffle between two loops over all threads of a block stores every thread's value, and loads its
// neighbour's from another place.
//
//   before: for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(mask, v, d);
//   after:  for each warp: own[lane] = v[t];
//           for (int d...) { for each lane: lanes[lane] = own[lane]; move the lanes d down;
//                            for each lane: own[lane] += lanes[lane]; }
//           v[t] = own[lane];
//
// The loops over lanes have a constant length, so that a warp's values stay in registers, and a move by a power of two
// is a permutation of registers. Threads of different warps need not meet between two barriers of the block, so the
// order of the warps is free.
//
// Precondition, checked when the kernel runs: rows of threads consist of whole warps, and of each warp all threads or
// none take part. Other blocks run the loops over all threads, which are written beside these.
//
// Limits: shuffles of numbers of 4 or 8 bytes, by a distance that is the same in all threads.
#pragma once
#include <string_view>
#include <vector>

#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

class Uniformity;

bool is_shuffle(std::string_view function);
// The argument with the value that the function hands over.
size_t handed_over_argument(std::string_view function);

// The arguments of a call that the program's text has, without those that are defaults. One that a macro's expansion
// hides is an empty range.
std::vector<Range> written_arguments(const SyntaxTree& tree, NodeIndex call);

// The unsigned type that has the size of the number that a shuffle hands over, in all instances of a template; empty
// for other types.
std::string_view shuffled_word(const FunctionSyntax& syntax, NodeIndex call);

// The end of the warp run that begins with statement `begin` of the list, which is `begin` if none does.
size_t warp_run_end(const std::vector<const Statement*>& list, size_t begin, const KernelBody& body,
                    const Uniformity& uniformity);

}  // namespace cuda_shim
