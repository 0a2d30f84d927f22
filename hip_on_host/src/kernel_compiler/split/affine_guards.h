// Affine guards: conditions whose active threads in a row are a contiguous range, found without testing each thread.
//
// Problem: `if (i < n && row < m)` is evaluated by every thread. In it `i` is affine in threadIdx.x (it grows by one
// from a thread of a row to the next), while `n` and `row < m` are uniform over the row.
//
//   i < n     the active threads are those before `n - i of the row's first thread`
//   row < m   all threads of the row are active, or none
//
// Conjunctions of such comparisons intersect the ranges. split_thread_rows.cpp writes the loops.
//
//   i % 32 == 0     periodic: the active threads are every 32nd, for which the loop takes longer steps
//   (i & 31) == 5
//
// Precondition: the condition is steady (Uniformity::is_steady): it has the same value wherever it is evaluated in the
// region, and evaluating it has no effect. The operands are integers. Wrap-around is checked when the kernel runs, from
// the values of the row's first and last thread.
//
// Limits: a stride of one only; no disjunctions, and no `!=`, whose threads are no contiguous range. One periodic
// guard, with a period that is a power of two of at most 128: every type of whole numbers counts modulo a multiple of
// it.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

// One of the comparisons that all must hold.
struct AffineGuard {
    Range affine;                  // grows by one each thread, modulo some power of two; empty: the same for the row
    Range bound;                   // the other operand; where nothing grows, the condition itself
    std::string_view relation;     // growing relation fixed
    bool negated = false;          // of a condition that is the same for the row
    bool depends_on_block = true;  // else few rows are whole: it compares the thread's place in its block
    // A periodic guard has the constant 32 of `i % 32 == bound`, or 31 of `(i & 31) == bound`. No bound means zero.
    Range period = {};
    bool period_is_mask = false;

    bool is_periodic() const { return !period.empty(); }

    bool operator==(const AffineGuard& other) const;
};

// The condition, or its negation, as comparisons; nothing where it is something else. It has to be steady
// (Uniformity::is_steady).
enum class PeriodicGuards { Refused, Allowed };
std::optional<std::vector<AffineGuard>> affine_guards(const KernelBody& body, Range condition, bool negated,
                                                      PeriodicGuards periodic = PeriodicGuards::Refused);

}  // namespace cuda_shim
