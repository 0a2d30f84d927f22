// Loops around barriers.
//
// A loop with a uniform header becomes one loop of the block around the regions in its body (joint_loop); a grid-stride
// loop computes each thread's counter from the iteration (strided_loop); another loop keeps a flag for each thread and
// runs until no thread is active (masked_loop):
//
//   before: while (x[t] > 0) { a; __syncthreads(); b; }
//   after:  in_loop[*] = 1; for (;;) { for each t in the loop: in_loop[t] = x[t] > 0; if none is: break;
//           for each t in the loop: a; for each t in the loop: b; }
//
// Limits: no warp operation in a for's start or step.
#include <algorithm>

#include "kernel_compiler/split/divergent_loops.h"
#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

// Is the header uniform control flow of the block? Some threads may have left the loop early even so, as flags record.
bool SplitWriter::is_joint(const Statement& loop) const {
    return !has_collective(loop.condition) && uniformity_.has_uniform_header(loop);
}

// The declarations of a for whose header is the block's.
std::string SplitWriter::block_init(const Statement& loop) const {
    if (!loop.declaration) return block_text(loop.init);
    const Declaration& declaration = *loop.declaration;
    if (declaration.kind == Declaration::Verbatim) return block_text(loop.init);
    std::string names;
    for (const Declarator& declarator : declaration.declarators) {
        const Variable& variable = body_.variables()[static_cast<size_t>(declarator.variable)];
        append(names, {names.empty() ? "" : ", ", declared_as(variable, block_name(variable), false)});
        if (declarator.initialiser == Declarator::Assigned) append(names, {" = ", block_text(declarator.initial)});
        if (declarator.initialiser == Declarator::Parenthesised)
            append(names, {"(", block_text(declarator.initial), ")"});
        if (declarator.initialiser == Declarator::Braced) append(names, {"{", block_text(declarator.initial), "}"});
    }
    return concat({tokens_.slice(declaration.specifiers.begin, declaration.specifiers.end), " ", names});
}

std::string SplitWriter::in_loop_flags(const Statement& loop) const {
    return "cuda_shim_in_loop" + std::to_string(loop.range.begin);
}
std::string SplitWriter::in_round_flags(const Statement& loop) const {
    return "cuda_shim_in_round" + std::to_string(loop.range.begin);
}

void SplitWriter::raise_flags(const std::string& flags, const std::vector<Mask>& masks) {
    thread_loop({}, masks, flags + ".value[cuda_shim_t] = 1;");
}

void SplitWriter::loop_statement(const Statement& loop, const Place& place) {
    const std::string outer_total = stored_bytes_;
    out_ += "{\n";
    if (runs_under_lane_mask(loop, body_, uniformity_))
        divergent_loop(loop, place);
    else if (is_joint(loop))
        joint_loop(loop, place);
    else if (strided_.count(&loop))
        strided_loop(loop, place);
    else
        masked_loop(loop, place);
    out_ += "}\n";
    stored_bytes_ = outer_total;
}

void SplitWriter::joint_loop(const Statement& loop, const Place& place) {
    Place inside = place;
    inside.loop = &loop;
    inside.diverged_in_loop = false;
    const bool leaves = breaks_.count(&loop) != 0, skips = continues_.count(&loop) != 0;
    const ThreadGroups groups = planning_ ? ThreadGroups::All : choose_thread_groups(loop, body_);
    const bool strips = groups == ThreadGroups::Strips && place.masks.empty();
    const bool all_affine =
        std::all_of(place.masks.begin(), place.masks.end(), [](const Mask& mask) { return mask.guards.has_value(); });
    // If no thread enters the loop, its condition may hold for ever: the values that it counts with need not make sense
    // then.
    const bool may_be_inactive = !place.masks.empty();
    const bool tiled = groups == ThreadGroups::Tiles && all_affine && !leaves && !skips && threads_ == kAllThreads;
    if (may_be_inactive) {
        if (tiled)
            test_whole_rows(place.masks);
        else
            test_any_active(place.masks);
        out_ += "if (cuda_shim_any) {\n";
    }
    if (tiled) tiled_loop(loop, place);
    if (strips) begin_strips();
    if (leaves) {
        append(out_, {"CUDA_SHIM_UNINITIALISED cuda_shim_flags ", in_loop_flags(loop), ";\n"});
        raise_flags(in_loop_flags(loop), {});
        inside.masks.push_back(flag_mask(in_loop_flags(loop)));
    }
    out_ += line(loop.range.begin);
    if (loop.kind == Statement::For)
        append(out_,
               {"for (", block_init(loop), "; ", block_text(loop.condition), "; ", block_text(loop.step), ") {\n"});
    else if (loop.kind == Statement::While)
        append(out_, {"while (", block_text(loop.condition), ") {\n"});
    else
        out_ += "do {\n";
    if (leaves || threads_return_in(loop)) break_when_none_active(inside);
    if (skips) {
        append(out_, {"CUDA_SHIM_UNINITIALISED cuda_shim_flags ", in_round_flags(loop), ";\n"});
        raise_flags(in_round_flags(loop), {});
        inside.masks.push_back(flag_mask(in_round_flags(loop)));
    }
    inside.diverged = inside.diverged || leaves || skips;
    body_of(*loop.children[0], inside);
    out_ += loop.kind == Statement::DoWhile ? concat({"} while (", block_text(loop.condition), ");\n"}) : "}\n";
    if (strips) end_strips();
    if (may_be_inactive) out_ += "}\n";
}

void SplitWriter::test_any_active(const std::vector<Mask>& masks) {
    out_ += "unsigned cuda_shim_any = 0;\n";
    thread_loop({}, masks, "cuda_shim_any = 1;");
}

// Tests whether any thread is active, and whether all are.
void SplitWriter::test_whole_rows(const std::vector<Mask>& masks) {
    if (plan_region({})) return;
    out_ += "bool cuda_shim_any = false, cuda_shim_whole = true;\nCUDA_SHIM_ROWS\n";
    evaluate_guards(masks);
    out_ +=
        "cuda_shim_whole &= cuda_shim_active.is_whole();\ndo {\ncuda_shim_active.advance(cuda_shim_guards_hold);\n"
        "cuda_shim_any |= cuda_shim_active.begin < cuda_shim_active.end;\n} while (cuda_shim_active.has_more());\n}\n";
}

void SplitWriter::break_when_none_active(const Place& inside) {
    test_any_active(inside.masks);
    out_ += "if (!cuda_shim_any) break;\n";
}

// The loop's condition may hold for ever once the last thread has returned from within.
bool SplitWriter::threads_return_in(const Statement& loop) const {
    bool returns = false;
    if (returns_)
        body_.syntax().for_each_within(
            loop.range, [&](NodeIndex node) { returns = returns || tree_[node].kind == NodeKind::Return; });
    return returns;
}

// The loop for a tile of threads after the other; where the block is made of whole tiles, and all its threads take
// part, instead of the loop that is written behind it.
void SplitWriter::tiled_loop(const Statement& loop, const Place& place) {
    const char* shape = names_thread_index("y") ? "(0, 1)" : "(CUDA_SHIM_STRIP, 0)";
    append(out_, {"if (", place.masks.empty() ? "" : "cuda_shim_whole && ", "cuda_shim_has_tiles", shape,
                  "(cuda_shim_width, cuda_shim_height)) {\nCUDA_SHIM_TILES", shape, "\n"});
    threads_ = concat({"CUDA_SHIM_TILE_THREADS", shape, "\n"});
    std::string load, store;
    for (const Variable* variable : per_thread_variables_in(loop, body_)) {
        tiled_.insert(variable);
        append(out_, {"CUDA_SHIM_UNINITIALISED ", array_name(*variable), "_t ", array_name(*variable),
                      "_tile[CUDA_SHIM_TILE_STRIPS][CUDA_SHIM_STRIP];\n"});
        const std::string element = array_name(*variable) + ".value[cuda_shim_t]";
        append(load, {element_of(*variable), " = ", element, ";\n"});
        append(store, {element, " = ", element_of(*variable), ";\n"});
    }
    append(out_, {threads_, load, "CUDA_SHIM_THREADS_END\n", line(loop.range.begin), "for (", block_init(loop), "; ",
                  block_text(loop.condition), "; ", block_text(loop.step), ") {\n"});
    Place inside = place;
    inside.masks.clear();
    body_of(*loop.children[0], inside);
    append(out_, {"}\n", threads_, store, "CUDA_SHIM_THREADS_END\n}\n} else\n"});
    tiled_.clear();
    threads_ = kAllThreads;
}

bool SplitWriter::names_thread_index(std::string_view axis) const {
    const NodeIndex function = body_.syntax().structure();
    for (NodeIndex i = function; i < tree_[function].end; ++i)
        if (tree_[i].kind == NodeKind::Member && tree_[i].name == axis &&
            tree_[tree_.child(i, 0)].name == "cuda_shim_thread_index")
            return true;
    return false;
}

void SplitWriter::begin_strips() {
    out_ += "CUDA_SHIM_STRIPS\n";
    threads_ = "CUDA_SHIM_STRIP_THREADS\n";
}

void SplitWriter::end_strips() {
    out_ += "CUDA_SHIM_STRIPS_END\n";
    threads_ = kAllThreads;
}

// Threads leave by their own condition; the block iterates until no thread is active.
void SplitWriter::masked_loop(const Statement& loop, const Place& place) {
    masked_init(loop, place);
    Place inside = place;
    inside.loop = &loop;
    inside.diverged = true;
    inside.diverged_in_loop = false;
    append(out_, {"CUDA_SHIM_UNINITIALISED cuda_shim_flags ", in_loop_flags(loop), ";\n"});
    raise_flags(in_loop_flags(loop), {});
    inside.masks.push_back(flag_mask(in_loop_flags(loop)));
    out_ += "for (;;) {\n";
    if (loop.kind != Statement::DoWhile) masked_condition(loop, inside);
    Place round = inside;
    if (continues_.count(&loop)) {
        append(out_, {"CUDA_SHIM_UNINITIALISED cuda_shim_flags ", in_round_flags(loop), ";\n"});
        raise_flags(in_round_flags(loop), {});
        round.masks.push_back(flag_mask(in_round_flags(loop)));
    }
    body_of(*loop.children[0], round);
    masked_step(loop, inside);
    if (loop.kind == Statement::DoWhile) masked_condition(loop, inside);
    out_ += "}\n";
}

// Every thread's variable is its first value plus the round's number times the stride: no array holds it, and the
// compiler sees that neighbouring threads have neighbouring ones.
void SplitWriter::strided_loop(const Statement& loop, const Place& place) {
    const Variable& variable = body_.variables()[static_cast<size_t>(strided_.at(&loop).variable)];
    const std::string round = "cuda_shim_round" + std::to_string(loop.range.begin);
    const std::string condition = concat({"(", text(loop.condition), ")"});
    append(out_,
           {"for (", specifiers(variable, true), round, " = 0;; ++", round, ") {\nunsigned cuda_shim_any = 0;\n"});
    Place inside = place;
    inside.masks.push_back({condition, {loop.condition}, affine_guards(body_, loop.condition, false)});
    if (is_one_region_body(tree_, loop)) {
        Region iteration;
        iteration.mentions = {loop.condition, loop.children[0]->range};
        const std::string body = concat({line(loop.children[0]->range.begin), text(loop.children[0]->range)});
        if (hoists_guards(iteration, inside.masks)) {
            row_loop(iteration, inside.masks, concat({"cuda_shim_any = 1;\n{", body, "}"}),
                     prefetch_next_round(loop, round, iteration));
        } else {
            threads_ = concat({"CUDA_SHIM_ROWS\n", skip_rows(loop), "CUDA_SHIM_ROW_THREADS\n"});
            thread_loop(
                iteration.mentions, place.masks,
                concat({line(loop.range.begin), "const bool cuda_shim_condition = ", condition,
                        ";\ncuda_shim_any |= cuda_shim_condition;\n", "if (cuda_shim_condition) {", body, "}"}));
            threads_ = kAllThreads;
        }
        out_ += "if (!cuda_shim_any) break;\n}\n";
        return;
    }
    thread_loop({loop.condition}, place.masks, concat({"cuda_shim_any |= (unsigned)", condition, ";"}));
    out_ += "if (!cuda_shim_any) break;\n";
    inside.loop = &loop;
    inside.diverged = inside.diverged_in_loop = true;
    body_of(*loop.children[0], inside);
    out_ += "}\n";
}

// Skips rows in which no thread iterates. The loop behind would do nothing for them either, but vectorised it
// accesses memory with every lane masked off; past the end of an array that costs a processor hundreds of times the
// cost of an access, and every thread gets there once.
std::string SplitWriter::skip_rows(const Statement& loop) const {
    std::string references;
    return concat(
        {"const auto cuda_shim_iterates = [&](const unsigned int cuda_shim_x) __attribute__((always_inline)) "
         "-> bool {\n",
         "CUDA_SHIM_THREAD\n", bindings({loop.condition}, {}, references), references, "return ", text(loop.condition),
         ";\n};\n", "if (!cuda_shim_any_in_row(cuda_shim_iterates, cuda_shim_width)) continue;\n"});
}

void SplitWriter::masked_init(const Statement& loop, const Place& place) {
    Region region;
    if (loop.declaration) {
        declare_variables(*loop.declaration, loop.init, region, place);
    } else if (!loop.init.empty()) {
        if (has_collective(loop.init)) throw NotSplit("a warp operation in a loop's initial statement");
        if (uniformity_.is_uniform_assignment(loop.init)) {
            append(out_, {block_text(loop.init), ";\n"});
        } else {
            region.text = concat({line(loop.init.begin), text(loop.init), ";"});
            region.mentions.push_back(loop.init);
        }
    }
    flush(region, place);
}

void SplitWriter::masked_condition(const Statement& loop, const Place& inside) {
    if (loop.condition.empty()) return break_when_none_active(inside);
    Region before;
    std::string condition = text(loop.condition);
    if (has_collective(loop.condition)) {
        condition = exchange(loop.condition, before, inside);
        flush(before, inside);
    }
    out_ += "unsigned cuda_shim_any = 0;\n";
    const std::string flag = in_loop_flags(loop) + ".value[cuda_shim_t]";
    thread_loop({loop.condition}, inside.masks,
                concat({line(loop.condition.begin), "const bool cuda_shim_condition = (", condition, ");\n", flag,
                        " = cuda_shim_condition;\ncuda_shim_any |= cuda_shim_condition;"}));
    out_ += "if (!cuda_shim_any) break;\n";
}

// Writes the step part by part: a uniform part changes once for the block.
void SplitWriter::masked_step(const Statement& loop, const Place& inside) {
    if (has_collective(loop.step)) throw NotSplit("a warp operation in a loop's step");
    Region region;
    for (const Range& part : body_.syntax().comma_parts(loop.step)) {
        if (uniformity_.is_uniform_assignment(part)) {
            flush(region, inside);
            append(out_, {block_text(part), ";\n"});
        } else {
            append(region.text, {line(part.begin), text(part), ";"});
            region.mentions.push_back(part);
        }
    }
    flush(region, inside);
}

}  // namespace cuda_shim
