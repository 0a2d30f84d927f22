// Prefetches: memory that a later block, or a loop's next round, begins with is fetched while this one is computed.
//
// Problem: the blocks of a kernel with barriers read their elements in short bursts, and compute in between. The
// processor sees a block's reads only once it gets there, and its own prefetcher ends at every page; the rounds of a
// grid-stride loop read far apart.
//
//   before: for each thread t: s[t] = x[blockIdx.x * 256 + t];
//   after:  prefetch the row at x[(blockIdx.x + 2) * 256];
//           for each thread t: s[t] = x[blockIdx.x * 256 + t];
//
// Precondition: the index of the access can be computed for a thread that does not get there: it reads no memory and
// cannot trap (Uniformity::is_steady). A prefetch changes no value and cannot fault, for any address.
//
// Limits: the access is to a parameter's memory, and its index names the block's index or the loop's variable; the
// elements of a row of threads are near each other, which is tested at run time.
#pragma once
#include <optional>
#include <vector>

#include "kernel_compiler/split/uniformity.h"

namespace cuda_shim {

struct PrefetchedAccess {
    Range place;           // x[i]
    bool written = false;  // it is assigned
};

// Accesses in the ranges whose place differs from block to block, or from round to round of the loop over `counter`
// where there is one. At most kMaxPrefetchedAccesses, each place once.
constexpr size_t kMaxPrefetchedAccesses = 4;
std::vector<PrefetchedAccess> find_prefetched_accesses(const KernelBody& body, const Uniformity& uniformity,
                                                       const std::vector<Range>& ranges, const Variable* counter);

}  // namespace cuda_shim
