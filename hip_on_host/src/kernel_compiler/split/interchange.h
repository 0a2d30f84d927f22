// Loop interchange: loops without barriers that are split all the same, because it makes them fast.
//
// In `for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];` one thread's loop cannot be vectorised:
// it adds to one sum. All threads go round it together, though, and between barriers no order between threads is
// promised: so the loop over k may be the outer one, with a loop over the threads inside, which vectorises. The same
// goes for grid-stride loops.
#pragma once
#include <set>
#include <vector>

#include "kernel_compiler/split/statement.h"

namespace cuda_shim {

class KernelBody;
struct Variable;
class Uniformity;

// Marks as split the loops that look worth it, and the statements around them; returns the loops. `refused`: first
// tokens of loops that turned out not to be.
std::vector<const Statement*> mark_interchange_candidates(Statement& root, const FunctionSyntax& syntax,
                                                          const std::set<size_t>& rejected);

// A loop `for (T i = a; i < b; i += c)` whose variable differs between threads, while b and c do not: in round r, i is
// a + r * c.
struct StridedLoop {
    bool is = false;
    int variable = -1;
    Range initial, bound, stride;
};
// Is the body of a strided loop one region of each thread's code?
bool is_one_region_body(const SyntaxTree& tree, const Statement& loop);
StridedLoop as_strided(const Statement& loop, const KernelBody& body, const Uniformity& uniformity);

// Once the varying variables are known: is the loop one that can be split, and is it worth it?
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
