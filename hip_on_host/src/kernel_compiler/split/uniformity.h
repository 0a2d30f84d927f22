// Uniformity analysis: values that are the same in every thread of a block.
//
// Problem: a barrier inside `for (int t = 0; t < n; ++t)` may stay inside one loop of the whole block only where t and
// n are uniform. A uniform variable also needs one element, not one for each thread.
//
// Every variable starts as uniform, and those that may differ are marked until no more are found (a fixed point):
// variables assigned from threadIdx or from memory, those assigned under a divergent condition, those whose address is
// known elsewhere.
//
//   int i = threadIdx.x;     // varying
//   int n = count / 2;       // uniform, where count is a parameter
//   if (i < n) m = 2;        // m varies: only some threads assign it
//
// Limits: values read from memory count as varying, except constant memory; so do results of functions other than the
// pure ones listed in uniformity.cpp.
#pragma once
#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

class Uniformity {
public:
    // Marks the varying variables of the body.
    explicit Uniformity(KernelBody& body);

    // Has the expression the same value in all threads that evaluate it?
    bool is_uniform(Range expression) const;
    // Has it, and do its names mean something outside of the loops over threads?
    bool is_known_to_block(Range expression) const;
    // Is it an assignment to a uniform variable, which the block makes once for all its threads?
    bool is_uniform_assignment(Range expression) const;
    // All the comma-separated parts of a for's step, or nothing at all.
    bool is_uniform_step(Range step) const;
    // Is the statement real control flow of the block: one where threads meet, or an If with a jump that all take?
    bool is_structural(const Statement& statement) const;
    // Is it `if (i >= n) return;`, with a condition that threads can evaluate again behind it?
    bool is_guard(const Statement& statement) const;
    // Have all threads that enter the loop one trip count: a uniform header, and no jump that only some take?
    bool has_uniform_trip_count(const Statement& loop) const;
    bool has_uniform_header(const Statement& loop) const;
    bool has_divergent_jump(const Statement& loop) const;
    // Can the expression be computed again anywhere with the same result, and cheaply?
    bool is_recomputable(Range expression) const;
    // The same within one region, in which the block's variables do not change.
    bool is_steady(Range expression) const;

private:
    bool visit(const Statement& statement, int divergence);
    bool visit_whole(const Statement& statement);
    bool visit_declaration(const Declaration& declaration, int divergence);
    bool visit_expression(Range expression, int divergence);
    bool visit_loop(const Statement& loop, int divergence);
    bool mark_writes(Range range);
    bool mark_declared(Range range);
    bool mark(Variable& variable);
    bool divergent_jump_in(const Statement& statement, bool diverged) const;
    bool is_plain(NodeIndex node, bool (Uniformity::*accepts)(NodeIndex) const) const;
    bool is_same_for_block(NodeIndex reference) const;
    bool is_stable(NodeIndex reference) const;
    bool is_stable_in_region(NodeIndex reference) const;
    bool is_short(Range expression) const;
    bool is_cheap(Range expression, bool (Uniformity::*accepts)(NodeIndex) const) const;
    bool is_known_constant(NodeIndex reference) const;
    bool may_trap(Range expression) const;
    const Variable* assigned_variable(NodeIndex root) const;

    KernelBody& body_;
    const FunctionSyntax& syntax_;
    const SyntaxTree& tree_;
};

}  // namespace cuda_shim
