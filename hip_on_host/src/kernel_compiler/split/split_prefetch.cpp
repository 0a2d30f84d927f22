// Writes prefetches of memory that a later block, or a strided loop's next round, begins with (prefetch.h).
//
// The text of an access is evaluated with the index of a later block, or the number of the next round, for the first
// and the last thread of a row. The lines of the cache between the two places are prefetched where there are not too
// many of them.
#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

// Regions within loops would ask again in every round, and blocks of kernels without barriers follow each other without
// a pause.
//
// Processors keep track of about as many lines as one row of threads has: one access is prefetched before each region,
// so that its lines arrive while the region computes.
std::string SplitWriter::prefetch_later_block(const Region& region, const Place& place) {
    if (planning_ || over_blocks() || !place.at_top || threads_ != kAllThreads || !has_collective(body_.root().range))
        return "";
    for (const PrefetchedAccess& access : find_prefetched_accesses(body_, uniformity_, region.mentions, nullptr))
        deferred_prefetches_.push_back(access);
    if (deferred_prefetches_.empty()) return "";
    const std::string row = prefetch_rows({deferred_prefetches_.front()});
    deferred_prefetches_.erase(deferred_prefetches_.begin());
    return in_later_block(row);
}

// The accesses behind whose region no other came.
void SplitWriter::write_deferred_prefetches() {
    if (deferred_prefetches_.empty()) return;
    append(out_, {"CUDA_SHIM_ROWS\n", in_later_block(prefetch_rows(deferred_prefetches_)), "}\n"});
    deferred_prefetches_.clear();
}

std::string SplitWriter::in_later_block(const std::string& statements) {
    return concat({"CUDA_SHIM_IN_LATER_BLOCK\n", statements, "CUDA_SHIM_IN_LATER_BLOCK_END\n"});
}

std::string SplitWriter::prefetch_next_round(const Statement& loop, const std::string& round,
                                             const Region& iteration) const {
    if (planning_ || over_blocks()) return "";
    const Variable& counter = body_.variables()[static_cast<size_t>(strided_.at(&loop).variable)];
    const std::string rows = prefetch_rows(find_prefetched_accesses(body_, uniformity_, iteration.mentions, &counter));
    if (rows.empty()) return "";
    std::string unused_references;
    return concat({"{\nconst auto cuda_shim_next_round = ", round, " + 1;\n{\nconst auto ", round,
                   " = cuda_shim_next_round;\nCUDA_SHIM_ROW_PREDICATE(iterates)\n",
                   bindings({loop.condition}, {}, unused_references), "return (", text(loop.condition),
                   ");\nCUDA_SHIM_ROW_PREDICATE_END\nif (cuda_shim_iterates(0)) {\n", rows, "}\n}\n}\n"});
}

std::string SplitWriter::prefetch_rows(const std::vector<PrefetchedAccess>& accesses) const {
    std::string rows, unused_references;
    for (const PrefetchedAccess& access : accesses)
        append(rows, {"{\nCUDA_SHIM_ROW_PREDICATE(place)\n", bindings({access.place}, {}, unused_references),
                      "return (unsigned long long)__builtin_addressof(", text(access.place),
                      ");\nCUDA_SHIM_ROW_PREDICATE_END\ncuda_shim_prefetch<", access.written ? "true" : "false",
                      ">(cuda_shim_place(0), cuda_shim_place(cuda_shim_width - 1));\n}\n"});
    return rows;
}

}  // namespace cuda_shim
