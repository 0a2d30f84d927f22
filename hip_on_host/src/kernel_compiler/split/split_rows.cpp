// Conditions hoisted to rows of threads, whose threads then need not be asked one by one whether they take part.
//
// In `if (i < n) y[i] = a * x[i] + y[i];` every access is one that some lanes may not make. Vectorised, that is reading
// and writing under a lane mask, which takes processors several times as long where the code waits for memory; and in
// `if (t < half) s[t] += s[t + half];` a loop over all threads reads elements that it writes, while one over those that
// take part does not. So before each row the range of its threads that take part is found, from one up to another
// (row_conditions.h), and the loop runs over that range and does not ask. Where a stretch holds more than such an if,
// it is compiled twice: for rows in which all conditions hold, and for the others.
//
// Precondition: before the row the conditions have the same value as in their places, and asking does nothing.
// Uniformity ensures that (is_steady), and the text binds their operands as constants. That a number grows by one is
// checked for every row, by its values for the first and the last thread.
#include <algorithm>

#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/words.h"

namespace cuda_shim {
namespace {

// Limit of a stretch that is compiled twice.
constexpr size_t kMostTokens = 250;

bool is_of_grid(const Mask& mask) {
    return mask.of_row && std::all_of(mask.of_row->begin(), mask.of_row->end(),
                                      [](const RowCondition& condition) { return condition.of_grid; });
}

const char* name_of_relation(std::string_view relation) {
    return relation == "<"    ? "less"
           : relation == "<=" ? "at_most"
           : relation == ">"  ? "more"
           : relation == ">=" ? "at_least"
                              : "equal";
}

}  // namespace

// Is it an if whose condition can be asked before the stretch? Variables that the stretch itself declares are not there
// yet.
bool SplitWriter::may_be_asked(const Statement& statement, const Stretch& stretch) const {
    const Range condition = statement.condition;
    if (statement.kind != Statement::If || statement.constexpr_if || !tokens_.is(condition.begin - 1, "("))
        return false;
    if (uniformity_.is_uniform(condition) || !uniformity_.is_steady(condition)) return false;
    for (const auto& [order, variable] : variables_in({condition}))
        for (const Range& mention : stretch.mentions)
            if (is_uniform(*variable) && mention.holds(variable->declared_at)) return false;
    return row_conditions(body_, condition, false).has_value();
}

// As add_to_stretch, for an if that may be asked.
void SplitWriter::add_asking(Stretch& stretch, const Statement& statement, const Place& place) {
    const bool first = stretch.empty();
    Stretch plain;
    add_to_stretch(plain, statement, place);
    stretch.mentions.insert(stretch.mentions.end(), plain.mentions.begin(), plain.mentions.end());
    if (plain.jumps) {
        stretch.jumps = true;
        stretch.text += plain.text;
        return;
    }
    Mask mask{concat({"(", text(statement.condition), ")"}),
              {statement.condition},
              row_conditions(body_, statement.condition, false)};
    append(stretch.text, {line(statement.range.begin), "if (", is_of_grid(mask) ? "cuda_shim_all" : "cuda_shim_lone",
                          " || ", mask.text, ")", line(statement.children[0]->range.begin),
                          text({statement.children[0]->range.begin, statement.range.end})});
    stretch.asked.push_back(std::move(mask));
    if (first && statement.children.size() == 1) stretch.lone_end = stretch.text.size();
}

bool SplitWriter::asks_rows(const Stretch& stretch, const std::vector<Mask>& masks) const {
    if (threads_ != kAllThreads) return false;
    if (!std::all_of(masks.begin(), masks.end(), [](const Mask& mask) { return mask.of_row.has_value(); }))
        return false;
    if (stretch.is_lone() || (stretch.asked.empty() && !masks.empty())) return true;
    if (std::none_of(stretch.asked.begin(), stretch.asked.end(), is_of_grid)) return false;
    size_t length = 0;
    bool plain = true;
    for (const Range& range : stretch.mentions) {
        length += range.end - range.begin;
        body_.syntax().each_within(range, [&](NodeIndex node) {
            const NodeKind kind = tree_[node].kind;
            plain = plain && kind != NodeKind::For && kind != NodeKind::While && kind != NodeKind::Do &&
                    !(tree_[node].is_call() && body_.syntax().calls().callee(node).definition != kNoNode);
        });
    }
    return plain && length <= kMostTokens;
}

void SplitWriter::row_loop(const Stretch& stretch, const std::vector<Mask>& masks, const std::string& body) {
    if (only_plans(stretch.mentions)) return;
    rows_ask_ = true;
    const bool lone = stretch.is_lone() || stretch.asked.empty();
    std::vector<Mask> all = masks;
    std::copy_if(stretch.asked.begin(), stretch.asked.end(), std::back_inserter(all),
                 [&](const Mask& mask) { return lone || is_of_grid(mask); });
    append(out_, {over_blocks_ ? "CUDA_SHIM_BLOCKS\n" : "", "CUDA_SHIM_ROWS\n"});
    ask_row(all);
    std::string condition, references;
    for (const Mask& mask : masks)
        append(condition, {condition.empty() ? "if (cuda_shim_all || (" : " && ", mask.text});
    if (!condition.empty()) condition += ")) ";
    append(out_, {lone ? "CUDA_SHIM_ROW_PART\n" : "CUDA_SHIM_ROW_WHOLE\n",
                  bindings(stretch.mentions, masks, references), condition, "{\n", references, body,
                  lone ? "\n}\nCUDA_SHIM_ROW_PART_END\n" : "\n}\nCUDA_SHIM_ROW_WHOLE_END\n"});
    if (over_blocks_) out_ += "CUDA_SHIM_BLOCKS_END\n";
}

// Writes the search for the threads of the row that take part, into cuda_shim_part; and, for rows where numbers do not
// grow by one after all, a function that asks one thread.
void SplitWriter::ask_row(const std::vector<Mask>& masks) {
    std::vector<Range> asking;
    std::string takes_part, none;
    for (const Mask& mask : masks) {
        append(takes_part, {takes_part.empty() ? "" : " && ", mask.text});
        asking.insert(asking.end(), mask.mentions.begin(), mask.mentions.end());
    }
    append(out_, {"CUDA_SHIM_ROW_ASKS(takes_part)\n", bindings(asking, {}, none), "return ", takes_part,
                  ";\nCUDA_SHIM_ROW_ASKED\ncuda_shim_row_part cuda_shim_part(cuda_shim_width);\n"});
    for (const Mask& mask : masks)
        for (const RowCondition& condition : *mask.of_row) {
            append(out_, {"{\n", asked_side("fixed", condition.fixed, condition.negated)});
            if (condition.growing.empty())
                out_ += "cuda_shim_part.only_if(cuda_shim_fixed(0));\n}\n";
            else
                append(out_,
                       {asked_side("growing", condition.growing, false), "cuda_shim_part.",
                        name_of_relation(condition.relation),
                        "(cuda_shim_growing(0), cuda_shim_growing(cuda_shim_width - 1), cuda_shim_fixed(0));\n}\n"});
        }
}

std::string SplitWriter::asked_side(const char* name, Range range, bool negated) const {
    std::string none;
    return concat({"CUDA_SHIM_ROW_ASKS(", name, ")\n", bindings({range}, {}, none), "return ", negated ? "!" : "", "(",
                   text(range), ");\nCUDA_SHIM_ROW_ASKED\n"});
}

// Nothing is kept from one stretch to the next, and there is one.
bool SplitWriter::is_one_row_loop() const {
    const auto& variables = body_.variables();
    return rows_ask_ && stretch_ == 1 &&
           std::none_of(variables.begin(), variables.end(), [](const Variable& one) { return one.per_thread; });
}

}  // namespace cuda_shim
