// Divergent loops, which each thread leaves by its own condition, run for several threads at a time under a lane mask.
//
// Problem: the trip count of `while (i < limit && x * x + y * y < 4) { ... }` differs between threads, so the loop over
// the threads around it does not vectorise.
//
//   before: for each thread t: while (condition(t)) body(t)
//   after:  for each strip of neighbouring threads: active[lane] = 1;
//           do for each lane: active[lane] &= condition(lane); if (active[lane]) body(lane)
//           while any lane is active
//
// The loop over lanes is straight arithmetic in all lanes of a register. A strip takes as long as its longest thread.
//
// Precondition: the loop only computes: numbers in local variables, without memory, calls or loops inside. A variable
// of the block must not change in it, except one that counts iterations for all threads.
//
// Limits: loops with local arrays around them, and loops with a uniform trip count, which interchange serves better.
#pragma once
#include "kernel_compiler/split/statement.h"

namespace cuda_shim {

class KernelBody;
class Uniformity;

// Does the loop only compute, without memory accesses, calls or loops inside?
bool is_arithmetic_loop(const Statement& loop, const FunctionSyntax& syntax);

// Is this a device function of numbers that only computes, with such a loop in it? Inlined, its loop may run under a
// lane mask too.
bool is_arithmetic_function(const FunctionSyntax& syntax, const Statement& body);

// Once the varying variables are known: is the loop divergent, and are all variables that live across its iterations
// numbers?
bool runs_under_lane_mask(const Statement& loop, const KernelBody& body, const Uniformity& uniformity);

}  // namespace cuda_shim
