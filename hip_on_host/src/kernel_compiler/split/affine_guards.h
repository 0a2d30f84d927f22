// The threads of a row for which a condition holds, where they can be found without asking each of them.
//
// `i < n && row < m` compares a number that grows by one from a thread of a row to the next, with numbers that are the
// same for all of the row. It holds for neighbours: from one thread up to another, which two subtractions find.
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
    bool depends_on_block = true;  // asks for more than the thread's place in its block: most rows are whole

    bool operator==(const AffineGuard& other) const;
};

// The condition, or the contrary where `negated`, as comparisons; nothing where it is something else. It has to be
// steady (Uniformity::is_steady).
std::optional<std::vector<AffineGuard>> affine_guards(const KernelBody& body, Range condition, bool negated);

}  // namespace cuda_shim
