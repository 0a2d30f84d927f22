// Loop interchange: loops without barriers are split like loops around barriers where that makes them vectorise.
//
// Problem: one thread's loop `for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];` cannot be
// vectorised, since each addition depends on the one before it.
//
//   before: for each thread t: for (k...) sum += ...
//   after:  for (k...) for each thread t: sum[t] += ...
//
// The inner loop, over threads, vectorises. The order between threads is free between two barriers, so the result is
// the same.
//
// Precondition: all threads that are in the loop have the same trip count (Uniformity::has_uniform_trip_count), or the
// loop is a grid-stride loop (StridedLoop); the body has no jump out of it and polls no memory.
//
// Limits: short loops of constant length stay as they are, since compilers unroll them; so do loops over a local array,
// whose elements would be strided in memory for neighbouring threads. SplitWriter::unprofitable_loop finds the loops
// that fail these tests once uniformity is known, and the kernel is split again without them.
#pragma once
#include <set>
#include <vector>

#include "kernel_compiler/split/statement.h"

namespace cuda_shim {

class KernelBody;
struct Variable;
class Uniformity;

// Marks the candidates for interchange as split, with the statements around them; returns the loops. `rejected`: first
// tokens of loops that are not profitable.
std::vector<const Statement*> mark_interchange_candidates(Statement& root, const FunctionSyntax& syntax,
                                                          const std::set<size_t>& rejected);

// A loop `for (T i = a; i < b; i += c)` whose variable differs between threads, while b and c do not: in iteration r, i
// is a + r * c.
struct StridedLoop {
    bool is = false;
    int variable = -1;
    Range initial, bound, stride;
};
// Is the body of a strided loop one region?
bool is_one_region_body(const SyntaxTree& tree, const Statement& loop);
StridedLoop as_strided(const Statement& loop, const KernelBody& body, const Uniformity& uniformity);

// Once the varying variables are known: can the loop be interchanged, and does it gain by it?
bool is_profitable(const Statement& loop, const KernelBody& body, const Uniformity& uniformity);

// Is the loop, which is split, better run for a few threads at a time? Sums that each thread keeps are in registers
// then, where the loop over all threads would read and write them in every round. Where each keeps a sum or two, a
// register's threads would wait for each sum before the next: then several registers of them are taken together, and
// values that they read in common are read once. Valid once the variables kept for each thread are known.
enum class ThreadGroups { All, Strips, Tiles };
ThreadGroups choose_thread_groups(const Statement& loop, const KernelBody& body);
// The variables that the loop keeps for each thread.
std::vector<const Variable*> per_thread_variables_in(const Statement& loop, const KernelBody& body);

}  // namespace cuda_shim
