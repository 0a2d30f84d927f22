// Divergent loops, which each thread leaves when it is done, run for many threads at a time under a lane mask.
//
// In `while (i < limit && x * x + y * y < 4) { ... }` threads go round as often as their own values say. Written out
// for a few neighbouring threads, with a flag for each that says whether it still goes round, one round is straight
// arithmetic in all lanes of a register. A thread's loop takes as long as the longest of its neighbours', but that many
// are done.
#pragma once
#include "kernel_compiler/split/statement.h"

namespace cuda_shim {

class KernelBody;
class Uniformity;

// Is the loop one that only computes, without touching memory, calling functions or looping itself?
bool is_arithmetic_loop(const Statement& loop, const FunctionSyntax& syntax);

// Is this a device function of numbers that only computes, with such a loop in it? Written out where a kernel calls it,
// its loop may run for many threads at a time too.
bool is_arithmetic_function(const FunctionSyntax& syntax, const Statement& body);

// Once the varying variables are known: do threads leave the loop one by one, and are all variables that they keep in
// it numbers?
bool runs_under_lane_mask(const Statement& loop, const KernelBody& body, const Uniformity& uniformity);

}  // namespace cuda_shim
