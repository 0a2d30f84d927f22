// Guards hoisted to rows of threads: the loop over a row runs over its active threads, without a test for each.
//
// Problem: vectorised, `if (i < n) y[i] = a * x[i] + y[i];` reads and writes under a lane mask, which takes processors
// several times as long where the code waits for memory. In `if (t < half) s[t] += s[t + half];` a loop over all
// threads reads elements that it also writes, while a loop over the active threads does not.
//
//   before: for (x = 0; x < width; ++x) if (i(x) < n) ...
//   after:  [begin, end) = range of x for which i(x) < n; for (x = begin; x < end; ++x) ...
//
// A region with more in it than one such if is compiled in two versions: one for rows in which all guards hold, and one
// that tests each thread.
//
// Precondition: the guards are affine (affine_guards.h) and have the same value before the row as in their places:
// Uniformity::is_steady, and the text binds their operands as constants. The row's first and last thread show at run
// time that a number grows by one; where it does not, each thread is tested.
//
//   before: for (x = 0; x < width; ++x) if (x % 32 == 0) ...
//   after:  for (x = first such x; x < width; x += 32) ...
//
// Limits: regions of at most kMaxVersionedTokens tokens, without loops or calls, get two versions.
#include <algorithm>

#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Limit of a region that is compiled in two versions.
constexpr size_t kMaxVersionedTokens = 250;

bool depends_on_block(const Mask& mask) {
    return mask.guards && std::all_of(mask.guards->begin(), mask.guards->end(),
                                      [](const AffineGuard& condition) { return condition.depends_on_block; });
}

const char* method_of_relation(std::string_view relation) {
    return relation == "<"    ? "less"
           : relation == "<=" ? "at_most"
           : relation == ">"  ? "more"
           : relation == ">=" ? "at_least"
                              : "equal";
}

}  // namespace

// Is it an if whose condition can be evaluated before the region? Variables that the region itself declares are not
// visible there.
bool SplitWriter::is_hoistable_guard(const Statement& statement, const Region& region) const {
    const Range condition = statement.condition;
    if (statement.kind != Statement::If || statement.constexpr_if || !tokens_.is(condition.begin - 1, "("))
        return false;
    if (uniformity_.is_uniform(condition) || !uniformity_.is_steady(condition)) return false;
    for (const auto& [order, variable] : variables_in({condition}))
        for (const Range& mention : region.mentions)
            if (is_uniform(*variable) && mention.holds(variable->declared_at)) return false;
    return affine_guards(body_, condition, false, PeriodicGuards::Allowed).has_value();
}

// As add_to_region, for an if with a hoistable guard.
void SplitWriter::add_guarded(Region& region, const Statement& statement, const Place& place) {
    const bool is_first = region.empty();
    Region guarded;
    add_to_region(guarded, statement, place);
    region.mentions.insert(region.mentions.end(), guarded.mentions.begin(), guarded.mentions.end());
    if (guarded.jumps) {
        region.jumps = true;
        region.text += guarded.text;
        return;
    }
    Mask mask{concat({"(", text(statement.condition), ")"}),
              {statement.condition},
              affine_guards(body_, statement.condition, false, PeriodicGuards::Allowed)};
    append(region.text, {line(statement.range.begin), "if (",
                         depends_on_block(mask) ? "cuda_shim_all_guards_hold" : "cuda_shim_single_guard_holds", " || ",
                         mask.text, ")", line(statement.children[0]->range.begin),
                         text({statement.children[0]->range.begin, statement.range.end})});
    region.hoisted_guards.push_back(std::move(mask));
    if (is_first && statement.children.size() == 1) region.single_guard_end = region.text.size();
}

bool SplitWriter::hoists_guards(const Region& region, const std::vector<Mask>& masks) const {
    if (threads_ != kAllThreads) return false;
    if (!std::all_of(masks.begin(), masks.end(), [](const Mask& mask) { return mask.guards.has_value(); }))
        return false;
    if (region.is_single_guard() || (region.hoisted_guards.empty() && !masks.empty())) return true;
    if (std::none_of(region.hoisted_guards.begin(), region.hoisted_guards.end(), depends_on_block)) return false;
    size_t length = 0;
    bool plain = true;
    for (const Range& range : region.mentions) {
        length += range.end - range.begin;
        body_.syntax().for_each_within(range, [&](NodeIndex node) {
            const NodeKind kind = tree_[node].kind;
            plain = plain && kind != NodeKind::For && kind != NodeKind::While && kind != NodeKind::Do &&
                    !(tree_[node].is_call() && body_.syntax().calls().callee(node).definition != kNoNode);
        });
    }
    return plain && length <= kMaxVersionedTokens;
}

void SplitWriter::row_loop(const Region& region, const std::vector<Mask>& masks, const std::string& body,
                           const std::string& at_row) {
    if (plan_region(region.mentions)) return;
    has_row_loop_ = true;
    const bool single = region.is_single_guard() || region.hoisted_guards.empty();
    std::vector<Mask> hoisted = masks;
    std::copy_if(region.hoisted_guards.begin(), region.hoisted_guards.end(), std::back_inserter(hoisted),
                 [&](const Mask& mask) { return single || depends_on_block(mask); });
    append(out_, {over_blocks() ? "CUDA_SHIM_BLOCKS\n" : "", "CUDA_SHIM_ROWS\n", at_row});
    evaluate_guards(hoisted);
    std::string condition, references;
    for (const Mask& mask : masks)
        append(condition, {condition.empty() ? "if (cuda_shim_all_guards_hold || (" : " && ", mask.text});
    if (!condition.empty()) condition += ")) ";
    const bool is_periodic = single && std::any_of(hoisted.begin(), hoisted.end(), [](const Mask& mask) {
                                 return std::any_of(mask.guards->begin(), mask.guards->end(),
                                                    [](const AffineGuard& guard) { return guard.is_periodic(); });
                             });
    append(out_, {is_periodic ? "CUDA_SHIM_ROW_STEPS\n"
                  : single    ? "CUDA_SHIM_ROW_ACTIVE\n"
                              : "CUDA_SHIM_ROW_WHOLE\n",
                  bindings(region.mentions, masks, references), condition, "{\n", references, body,
                  single ? "\n}\nCUDA_SHIM_ROW_ACTIVE_END\n" : "\n}\nCUDA_SHIM_ROW_WHOLE_END\n"});
    if (over_blocks()) out_ += "CUDA_SHIM_BLOCKS_END\n";
}

// Writes the computation of cuda_shim_active, the range of the row's active threads; and cuda_shim_guards_hold, which
// tests one thread, for rows where a number does not grow by one after all.
void SplitWriter::evaluate_guards(const std::vector<Mask>& masks) {
    std::vector<Range> mentions;
    std::string conjunction, unused_references;
    for (const Mask& mask : masks) {
        append(conjunction, {conjunction.empty() ? "" : " && ", mask.text});
        mentions.insert(mentions.end(), mask.mentions.begin(), mask.mentions.end());
    }
    append(out_,
           {"CUDA_SHIM_ROW_PREDICATE(guards_hold)\n", bindings(mentions, {}, unused_references), "return ", conjunction,
            ";\nCUDA_SHIM_ROW_PREDICATE_END\ncuda_shim_active_range cuda_shim_active(cuda_shim_width);\n"});
    for (const Mask& mask : masks)
        for (const AffineGuard& condition : *mask.guards) {
            if (condition.is_periodic()) {
                periodic_guard(condition);
                continue;
            }
            append(out_, {"{\n", guard_operand("bound", condition.bound, condition.negated)});
            if (condition.affine.empty())
                out_ += "cuda_shim_active.require(cuda_shim_bound(0));\n}\n";
            else
                append(out_,
                       {guard_operand("affine", condition.affine, false), "cuda_shim_active.",
                        method_of_relation(condition.relation),
                        "(cuda_shim_affine(0), cuda_shim_affine(cuda_shim_width - 1), cuda_shim_bound(0));\n}\n"});
        }
}

void SplitWriter::periodic_guard(const AffineGuard& guard) {
    append(out_, {"constexpr unsigned long long cuda_shim_period = (unsigned long long)(", text(guard.period), ")",
                  guard.period_is_mask ? " + 1" : "", ";\n{\n", guard_operand("affine", guard.affine, false),
                  guard.bound.empty() ? "const auto cuda_shim_bound = [](unsigned int) { return 0; };\n"
                                      : guard_operand("bound", guard.bound, false),
                  "cuda_shim_active.every<cuda_shim_period>(cuda_shim_affine(0), cuda_shim_bound(0));\n}\n"});
}

std::string SplitWriter::guard_operand(const char* name, Range range, bool negated) const {
    std::string unused_references;
    return concat({"CUDA_SHIM_ROW_PREDICATE(", name, ")\n", bindings({range}, {}, unused_references), "return ",
                   negated ? "!" : "", "(", text(range), ");\nCUDA_SHIM_ROW_PREDICATE_END\n"});
}

// True if there is one region and no variable that lives across.
bool SplitWriter::is_one_row_loop() const {
    const auto& variables = body_.variables();
    return has_row_loop_ && region_ == 1 &&
           std::none_of(variables.begin(), variables.end(),
                        [](const Variable& variable) { return variable.per_thread; });
}

}  // namespace cuda_shim
