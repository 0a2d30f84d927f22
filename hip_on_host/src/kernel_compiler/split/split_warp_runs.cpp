// Emission of warp runs; warp_runs.h has an example and the preconditions.
#include <algorithm>

#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/split/warp_runs.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

// The end of the run that begins with the statement; `begin` where there is none, or where it is not known before the
// run which threads take part.
size_t SplitWriter::warp_run_end(const std::vector<const Statement*>& list, size_t begin, const Place& place) const {
    const bool all_affine =
        std::all_of(place.masks.begin(), place.masks.end(), [](const Mask& mask) { return mask.guards.has_value(); });
    if (in_warp_run_ || over_blocks() || threads_ != kAllThreads || !all_affine) return begin;
    return cuda_shim::warp_run_end(list, begin, body_, uniformity_);
}

void SplitWriter::warp_run(const std::vector<const Statement*>& run, const Place& place) {
    in_warp_run_ = true;
    if (!planning_) {
        out_ += "{\n";
        test_whole_warps(place.masks);
        out_ += "if (cuda_shim_whole_warps) {\n";
        run_by_warp(run, place);
        out_ += "} else {\n";
    }
    statements(run, place);
    if (!planning_) out_ += "}\n}\n";
    in_warp_run_ = false;
}

void SplitWriter::test_whole_warps(const std::vector<Mask>& masks) {
    out_ += "bool cuda_shim_whole_warps = CUDA_SHIM_HAS_WHOLE_WARPS(cuda_shim_width);\n";
    if (masks.empty()) return;
    out_ += "CUDA_SHIM_ROWS\n";
    evaluate_guards(masks);
    out_ += "(void)cuda_shim_guards_hold;\ncuda_shim_whole_warps &= cuda_shim_active.is_whole_warps();\n}\n";
}

void SplitWriter::run_by_warp(const std::vector<const Statement*>& run, const Place& place) {
    const std::string outer_total = stored_bytes_;
    out_ += "CUDA_SHIM_ROWS\n";
    if (place.masks.empty()) {
        out_ += "CUDA_SHIM_WARPS(0, cuda_shim_width)\n";
    } else {
        evaluate_guards(place.masks);
        out_ += "(void)cuda_shim_guards_hold;\nCUDA_SHIM_WARPS(cuda_shim_active.begin, cuda_shim_active.end)\n";
    }
    threads_ = "CUDA_SHIM_WARP_THREADS\n";
    runs_by_warp_ = true;
    const Range range{run.front()->range.begin, run.back()->range.end};
    std::string load, store;
    for (const Variable& variable : body_.variables()) {
        const auto is_within = [&](size_t token) { return range.holds(token); };
        const auto any_within = [&](const std::vector<size_t>& tokens) {
            return std::any_of(tokens.begin(), tokens.end(), is_within);
        };
        if (!variable.per_thread || range.holds(variable.declared_at) || !any_within(variable.uses)) continue;
        tiled_.insert(&variable);
        append(out_, {"CUDA_SHIM_UNINITIALISED ", array_name(variable), "_t ", array_name(variable),
                      "_warp[CUDA_SHIM_WARP_SIZE];\n"});
        const std::string element = array_name(variable) + ".value[cuda_shim_t]";
        append(load, {element_of(variable), " = ", element, ";\n"});
        if (any_within(variable.writes)) append(store, {element, " = ", element_of(variable), ";\n"});
    }
    append(out_, {threads_, load, "CUDA_SHIM_THREADS_END\n"});
    Place inside = place;
    inside.masks.clear();
    statements(run, inside);
    append(out_, {threads_, store, "CUDA_SHIM_THREADS_END\nCUDA_SHIM_WARPS_END\n}\n"});
    tiled_.clear();
    runs_by_warp_ = false;
    threads_ = kAllThreads;
    stored_bytes_ = outer_total;
}

}  // namespace cuda_shim
