// Emission of divergent loops for strips of neighbouring threads under a lane mask; divergent_loops.h has an example
// and the preconditions.
#include <algorithm>

#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

void SplitWriter::divergent_loop(const Statement& loop, const Place& place) {
    const bool joint = is_joint(loop) && loop.kind != Statement::DoWhile;
    begin_strips();
    if (!joint) masked_init(loop, place);
    out_ += "unsigned int cuda_shim_lanes_active[CUDA_SHIM_STRIP];\n";
    const bool unmasked = place.masks.empty();
    thread_loop({}, {}, concat({"cuda_shim_lanes_active[cuda_shim_lane] = ", unmasked ? "1" : "0", ";"}));
    if (!unmasked) thread_loop({}, place.masks, "cuda_shim_lanes_active[cuda_shim_lane] = 1;");
    out_ += line(loop.range.begin);
    if (!joint)
        out_ += "for (;;) {\n";
    else if (loop.kind == Statement::For)
        append(out_,
               {"for (", block_init(loop), "; ", block_text(loop.condition), "; ", block_text(loop.step), ") {\n"});
    else
        append(out_, {"while (", block_text(loop.condition), ") {\n"});
    out_ += "unsigned int cuda_shim_any = 0;\n";
    divergent_iteration(loop, joint, place);
    out_ += "if (!cuda_shim_any) break;\n";
    // A variable that counts rounds for all of them is counted once.
    for (const Range& part : body_.syntax().comma_parts(joint ? Range{} : loop.step))
        if (uniformity_.is_uniform_assignment(part)) append(out_, {block_text(part), ";\n"});
    out_ += "}\n";
    end_strips();
}

// One iteration of every lane: stored values are copied in and out whether the lane is active or not, so that the
// copies are moves of whole registers, and stay in them from one iteration to the next.
void SplitWriter::divergent_iteration(const Statement& loop, bool joint, const Place& place) {
    Place inside = place;
    inside.loop = &loop;
    Region body;
    add_to_region(body, *loop.children[0], inside);
    std::vector<Range> mentions = {loop.children[0]->range};
    if (!joint) mentions.insert(mentions.end(), {loop.condition, loop.step});
    if (plan_region(mentions)) return;

    const std::string evaluate_condition =
        joint || loop.condition.empty()
            ? ""
            : concat({line(loop.condition.begin), "cuda_shim_lane_active = (bool)(", text(loop.condition), ");\n"});
    std::string copies_back;
    append(out_, {threads_, lane_copies(loop, mentions, copies_back),
                  "unsigned int cuda_shim_lane_active = cuda_shim_lanes_active[cuda_shim_lane];\n"});
    if (loop.kind != Statement::DoWhile && !evaluate_condition.empty())
        append(out_, {"if (cuda_shim_lane_active) {", evaluate_condition, "}\n"});
    out_ += "if (cuda_shim_lane_active) {\n";
    append(out_, {body.jumps ? with_jumps(body.text) : body.text, "\n"});
    if (body.jumps) out_ += "if (cuda_shim_exit == 1 || cuda_shim_exit == 2) cuda_shim_lane_active = 0;\n";
    for (const Range& part : body_.syntax().comma_parts(joint ? Range{} : loop.step))
        if (!uniformity_.is_uniform_assignment(part))
            append(out_, {"if (cuda_shim_lane_active) {", line(part.begin), text(part), ";}\n"});
    if (loop.kind == Statement::DoWhile) append(out_, {"if (cuda_shim_lane_active) {", evaluate_condition, "}\n"});
    append(
        out_,
        {"}\n", copies_back,
         "cuda_shim_lanes_active[cuda_shim_lane] = cuda_shim_lane_active;\ncuda_shim_any |= cuda_shim_lane_active;\n"});
    out_ += "CUDA_SHIM_THREADS_END\n";
}

// Declarations of the lane's own copies; `back` puts those back that the loop changes.
std::string SplitWriter::lane_copies(const Statement& loop, const std::vector<Range>& mentions,
                                     std::string& copies_back) const {
    std::string copies;
    for (const auto& [order, variable] : variables_in(mentions)) {
        if (is_uniform(*variable) && loop.children[0]->range.holds(variable->declared_at)) continue;
        if (is_uniform(*variable)) {
            append(copies, {"const auto& ", inner_name(*variable), " = ", block_name(*variable), ";\n"});
            continue;
        }
        if (variable->recomputed) {
            append(copies, {recomputed(*variable), "\n"});
            continue;
        }
        const std::string element = array_name(*variable) + ".value[cuda_shim_t]";
        append(copies, {"auto ", inner_name(*variable), " = ", element, ";\n"});
        const bool changes = std::any_of(variable->writes.begin(), variable->writes.end(), [&](size_t write) {
            return write >= loop.range.begin && write < loop.range.end;
        });
        if (changes) append(copies_back, {element, " = ", inner_name(*variable), ";\n"});
    }
    return copies;
}

}  // namespace cuda_shim
