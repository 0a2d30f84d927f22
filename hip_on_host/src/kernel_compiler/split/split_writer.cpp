#include "kernel_compiler/split/split_writer.h"

#include <algorithm>

#include "kernel_compiler/split/block_width.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
SplitWriter::SplitWriter(KernelBody& body, const LineMap& lines)
    : body_(body),
      tokens_(body.tokens()),
      tree_(body.tree()),
      uniformity_(body),
      lines_(lines),
      block_local_atomics_(find_block_local_atomics(body)) {
    choose_recomputed();  // as_strided depends on it
}

const Statement* SplitWriter::unprofitable_loop() const {
    for (const Statement* loop : body_.interchanged_loops())
        if (!is_profitable(*loop, body_, uniformity_)) return loop;
    return nullptr;
}

std::string SplitWriter::write() {
    choose_strided(body_.root());
    region_of_.assign(tokens_.size(), 0);
    write_pass();
    choose_per_thread();
    planning_ = false;
    fusion_ = choose_block_fusion(body_, uniformity_, strided_);
    names_ = region_ = 0;
    stored_bytes_ = "0";
    out_.clear();
    write_pass();
    const bool in_parts = fusion_ == BlockFusion::Parts;
    return concat(
        {"{\n", in_parts ? "CUDA_SHIM_RUN_PARTS\n" : "", out_, in_parts ? "CUDA_SHIM_RUN_PARTS_END\n" : "", "}\n"});
}

unsigned int SplitWriter::known_width() const {
    const bool pays = tests_threads_in_loop_ && !over_blocks() && !names_thread_index("y") && !names_thread_index("z");
    return pays ? expected_block_width(body_) : 0;
}

void SplitWriter::write_pass() {
    Place place;
    if (returns_) {
        place.masks.push_back(flag_mask(kAlive));
        append(out_, {"CUDA_SHIM_UNINITIALISED cuda_shim_flags ", kAlive, ";\n"});
        raise_flags(kAlive, {});
    }
    declare_parameters();
    body_of(body_.root(), place);
}

void SplitWriter::body_of(const Statement& statement, const Place& place) {
    Place inside = place;
    inside.at_top = &statement == &body_.root();
    const std::string outer_total = stored_bytes_;
    out_ += "{\n";
    statements(statement.statements(), inside);
    if (inside.at_top) write_deferred_prefetches();
    out_ += "}\n";
    stored_bytes_ = outer_total;
}

void SplitWriter::statements(const std::vector<const Statement*>& list, const Place& enclosing) {
    Region region;
    Place place = enclosing;
    for (size_t i = 0; i < list.size(); ++i) {
        const Statement& statement = *list[i];
        if (const size_t end = warp_run_end(list, i, place); end > i) {
            flush(region, place);
            warp_run({list.begin() + static_cast<ptrdiff_t>(i), list.begin() + static_cast<ptrdiff_t>(end)}, place);
            i = end - 1;
        } else if (statement.kind == Statement::Barrier) {
            flush(region, place);
        } else if (statement.kind == Statement::Pragma) {
            // A pragma is kept before a loop that stays one. Before one that becomes something else a compiler would
            // refuse it.
            const bool keeps_pragma = i + 1 < list.size() && !uniformity_.is_structural(*list[i + 1]) &&
                                      (list[i + 1]->kind == Statement::For || list[i + 1]->kind == Statement::While);
            if (keeps_pragma) append(region.text, {"\n", text(statement.range), "\n"});
        } else if (statement.kind == Statement::Declare) {
            declare_variables(*statement.declaration, statement.range, region, place);
        } else if (statement.kind == Statement::Expression && statement.split) {
            const std::string value = exchange(statement.expression, region, place);
            append(region.text, {line(statement.range.begin), value, ";"});
            region.mentions.push_back(statement.range);
        } else if (place.at_top && uniformity_.is_guard(statement)) {
            // The statements behind it are for the other threads, and they can decide it themselves.
            flush(region, place);
            place.masks.push_back({concat({"!(", text(statement.condition), ")"}),
                                   {statement.condition},
                                   affine_guards(body_, statement.condition, true)});
        } else if (uniformity_.is_structural(statement)) {
            flush(region, place);
            structural(statement, place);
        } else if (statement.kind == Statement::Expression && uniformity_.is_uniform_assignment(statement.expression)) {
            flush(region, place);
            append(out_, {line(statement.range.begin), block_text(statement.expression), ";\n"});
        } else if (statement.kind == Statement::Break || statement.kind == Statement::Continue ||
                   statement.kind == Statement::Return) {
            flush(region, place);
            if (!block_jump(statement, place)) add_to_region(region, statement, place);
        } else if (is_hoistable_guard(statement, region)) {
            add_guarded(region, statement, place);
        } else if (statement.kind != Statement::Empty) {
            add_to_region(region, statement, place);
        }
    }
    flush(region, place);
}

void SplitWriter::structural(const Statement& statement, const Place& place) {
    switch (statement.kind) {
        case Statement::Compound:
            body_of(statement, place);
            return;
        case Statement::If:
            if_statement(statement, place);
            return;
        case Statement::For:
        case Statement::While:
        case Statement::DoWhile:
            loop_statement(statement, place);
            return;
        default:
            throw NotSplit("a barrier in a statement that is neither a block, an if nor a loop");
    }
}

// A jump that every thread takes which is still there is one of the block.
bool SplitWriter::block_jump(const Statement& statement, const Place& place) {
    if (statement.kind == Statement::Return) {
        if (!statement.expression.empty()) throw NotSplit("a return statement with a value");
        if (place.diverged) return false;
        out_ += "return;\n";
        return true;
    }
    if (!place.loop || place.diverged_in_loop) return false;
    // Threads that went to the next round early are still in the loop.
    if (statement.kind == Statement::Break && continues_.count(place.loop)) return false;
    if (statement.kind == Statement::Continue && !is_joint(*place.loop)) return false;
    out_ += statement.kind == Statement::Break ? "break;\n" : "continue;\n";
    return true;
}

void SplitWriter::if_statement(const Statement& statement, const Place& place) {
    Region before;
    const bool collective = has_collective(statement.condition);
    std::string condition = text(statement.condition);
    if (collective) {
        condition = exchange(statement.condition, before, place);
        flush(before, place);
    }
    if (!statement.constexpr_if && (collective || !uniformity_.is_uniform(statement.condition))) {
        if_masked(statement, condition, place);
        return;
    }
    append(out_, {line(statement.condition.begin), statement.constexpr_if ? "if constexpr (" : "if (",
                  block_text(statement.condition), ")\n"});
    body_of(*statement.children[0], place);
    if (statement.children.size() > 1) {
        out_ += "else\n";
        body_of(*statement.children[1], place);
    }
}

void SplitWriter::if_masked(const Statement& statement, const std::string& condition, const Place& place) {
    Place inside = place, otherwise = place;
    inside.diverged = inside.diverged_in_loop = otherwise.diverged = otherwise.diverged_in_loop = true;
    const bool has_else = statement.children.size() > 1;
    out_ += "{\n";
    if (!has_collective(statement.condition) && uniformity_.is_recomputable(statement.condition)) {
        inside.masks.push_back(
            {concat({"(", condition, ")"}), {statement.condition}, affine_guards(body_, statement.condition, false)});
        otherwise.masks.push_back(
            {concat({"!(", condition, ")"}), {statement.condition}, affine_guards(body_, statement.condition, true)});
    } else {
        const std::string taken_flags = fresh("taken"), else_flags = fresh("other");
        append(out_,
               {"CUDA_SHIM_UNINITIALISED cuda_shim_flags ", taken_flags, has_else ? ", " + else_flags : "", ";\n"});
        std::string evaluate = concat({line(statement.condition.begin), "const bool cuda_shim_condition = (", condition,
                                       ");\n", taken_flags, ".value[cuda_shim_t] = cuda_shim_condition;\n"});
        if (has_else) append(evaluate, {else_flags, ".value[cuda_shim_t] = !cuda_shim_condition;\n"});
        thread_loop({statement.condition}, place.masks, evaluate);
        inside.masks.push_back(flag_mask(taken_flags));
        otherwise.masks.push_back(flag_mask(else_flags));
    }
    body_of(*statement.children[0], inside);
    if (has_else) body_of(*statement.children[1], otherwise);
    out_ += "}\n";
}

// Copies the statement, with jumps out of the region turned into codes that the thread loop acts on.
void SplitWriter::add_to_region(Region& region, const Statement& statement, const Place& place) {
    if (body_.syntax().waits(statement.range))
        throw NotSplit("a barrier or warp operation inside an unsupported statement");
    region.mentions.push_back(statement.range);
    region.text += line(statement.range.begin);
    const std::vector<Jump> jumps = leaving_jumps(tree_, statement);
    size_t from = statement.range.begin;
    for (const Jump& jump : jumps) {
        if (!tokens_.is(jump.token + 1, ";")) throw NotSplit("a return statement with a value");
        region.text += text_until(from, jump.token);
        const LeaveCode code = jump.kind == Statement::Return  ? LeaveKernel
                               : jump.kind == Statement::Break ? LeaveLoop
                                                               : LeaveRound;
        if (code != LeaveKernel && !place.loop) throw NotSplit("break or continue without a loop");
        append(region.text, {"return ", std::to_string(code)});
        from = jump.token + 1;
        region.jumps = true;
        if (code == LeaveKernel)
            returns_ = true;
        else
            (code == LeaveLoop ? breaks_ : continues_).insert(place.loop);
    }
    // The operand of a comma, if it has become a statement, ends with the comma.
    const bool is_operand = tokens_.is(statement.range.end - 1, ",");
    append(region.text, {text({from, statement.range.end - (is_operand ? 1 : 0)}), is_operand ? ";" : ""});
}

// Sets cuda_shim_exit to the code of the jump that left the text, and marks threads that returned.
std::string SplitWriter::with_jumps(const std::string& text) const {
    std::string body = concat({"const int cuda_shim_exit = [&]() -> int {\n", text, "\nreturn 0; }();\n"});
    if (returns_) append(body, {"if (cuda_shim_exit == 1) ", kAlive, ".value[cuda_shim_t] = 0;\n"});
    return body;
}

void SplitWriter::flush(Region& region, const Place& place) {
    if (region.empty()) return;
    std::string body = region.text;
    if (region.jumps) {
        body = with_jumps(body);
        if (place.loop && breaks_.count(place.loop))
            append(body, {"if (cuda_shim_exit == 2) ", in_loop_flags(*place.loop), ".value[cuda_shim_t] = 0;\n"});
        if (place.loop && continues_.count(place.loop))
            append(body, {"if (cuda_shim_exit == 3) ", in_round_flags(*place.loop), ".value[cuda_shim_t] = 0;\n"});
    }
    region_loop(region, place, body);
    region = Region();
}

void SplitWriter::region_loop(const Region& region, const Place& place, const std::string& body) {
    const std::string prefetch = prefetch_later_block(region, place);
    if (hoists_guards(region, place.masks)) {
        row_loop(region, place.masks, body, prefetch);
        return;
    }
    if (place.loop && is_joint(*place.loop) && tests_threads(body_, uniformity_, region.mentions))
        tests_threads_in_loop_ = true;
    const std::string threads = threads_;
    if (!prefetch.empty()) threads_ = concat({"CUDA_SHIM_ROWS\n", prefetch, "CUDA_SHIM_ROW_THREADS\n"});
    thread_loop(region.mentions, place.masks, body);
    threads_ = threads;
}

void SplitWriter::thread_loop(const std::vector<Range>& mentions, const std::vector<Mask>& masks,
                              const std::string& body) {
    if (plan_region(mentions)) return;
    std::string references;
    append(out_, {over_blocks() ? "CUDA_SHIM_BLOCKS\n" : "", threads_, bindings(mentions, masks, references)});
    std::string condition;
    for (const Mask& mask : masks) append(condition, {condition.empty() ? "" : " && ", mask.text});
    if (!condition.empty()) append(out_, {"if (", condition, ") "});
    append(out_, {"{\n", references, body, "\n}\nCUDA_SHIM_THREADS_END\n"});
    if (over_blocks()) out_ += "CUDA_SHIM_BLOCKS_END\n";
}

// Begins a region. In the planning pass, marks its tokens and returns true: nothing is written then.
bool SplitWriter::plan_region(const std::vector<Range>& mentions) {
    ++region_;
    if (!planning_) return false;
    for (const Range& range : mentions)
        for (size_t i = range.begin; i < range.end; ++i) region_of_[i] = region_;
    return true;
}

bool SplitWriter::is_uniform(const Variable& variable) const {
    return !variable.varying && variable.kind != Variable::Fixed;
}

// A name that another declaration of the kernel has too would hide that one.
std::string SplitWriter::inner_name(const Variable& variable) const {
    if (body_.syntax().declarations_of(variable.name) <= 1) return variable.name;
    return concat({"cuda_shim_n", std::to_string(&variable - body_.variables().data()), "_", variable.name});
}

std::string SplitWriter::block_name(const Variable& variable) const {
    return concat({"cuda_shim_u", std::to_string(&variable - body_.variables().data()), "_", variable.name});
}

// The text from `begin` up to the token `end`, the blanks before that included.
std::string SplitWriter::text_until(size_t begin, size_t end) const {
    std::string result;
    size_t copied = tokens_[begin].begin;
    for (size_t i = begin; i < end; ++i) {
        const bool is_block_local = block_local_atomics_.count(i) != 0;
        const Variable* variable = body_.variable_at(i);
        if (!is_block_local && (!variable || !(variable->per_thread || variable->recomputed || is_uniform(*variable))))
            continue;
        append(result, {std::string_view(tokens_.source()).substr(copied, tokens_[i].begin - copied),
                        is_block_local ? concat({"cuda_shim_block_local(cuda_shim_no_cluster).", tokens_.text(i)})
                                       : inner_name(*variable)});
        copied = tokens_[i].end;
    }
    return result + tokens_.source().substr(copied, tokens_[end].begin - copied);
}

std::string SplitWriter::text(Range range) const {
    if (range.empty()) return "";
    const size_t last = range.end - 1;
    const Variable* variable = body_.variable_at(last);
    const bool is_renamed = variable && (variable->per_thread || variable->recomputed || is_uniform(*variable));
    return text_until(range.begin, last) + (is_renamed ? inner_name(*variable) : std::string(tokens_.text(last)));
}

std::string SplitWriter::block_text(Range range) const {
    std::string result;
    if (range.empty()) return result;
    size_t copied = tokens_[range.begin].begin;
    for (size_t i = range.begin; i < range.end; ++i) {
        const Variable* variable = body_.variable_at(i);
        if (!variable || !is_uniform(*variable)) continue;
        append(result,
               {std::string_view(tokens_.source()).substr(copied, tokens_[i].begin - copied), block_name(*variable)});
        copied = tokens_[i].end;
    }
    return result + tokens_.source().substr(copied, tokens_[range.end - 1].end - copied);
}

// The variables that the text names and that are not simply declared in it, and those that they are recomputed from, in
// the order of declaration: one may be made of another.
std::map<size_t, const Variable*> SplitWriter::variables_in(std::vector<Range> mentions) const {
    std::map<size_t, const Variable*> variables;
    while (!mentions.empty()) {
        const Range range = mentions.back();
        mentions.pop_back();
        for (size_t i = range.begin; i < range.end; ++i) {
            const Variable* variable = body_.variable_at(i);
            if (!variable || !(variable->per_thread || variable->recomputed || is_uniform(*variable))) continue;
            const size_t order = static_cast<size_t>(variable - body_.variables().data());
            if (variables.emplace(order, variable).second && variable->recomputed)
                mentions.insert(mentions.end(), {variable->initial(), variable->recomputed_with});
        }
    }
    return variables;
}

// A constant, so that a text which changes it after all does not compile.
std::string SplitWriter::recomputed(const Variable& variable) const {
    const std::string declared =
        plain_declaration(variable, inner_name(variable),
                          variable.recomputed_from.empty() ? text(variable.initial()) : variable.recomputed_from);
    const bool may_change = variable.is_arithmetic() && variable.type.find("const") == std::string_view::npos;
    return may_change ? "const " + declared : declared;
}

// References and recomputed values for every variable that the loop's text names. The program's own references go into
// `references`, for active threads alone: those of others may never have been bound.
std::string SplitWriter::bindings(const std::vector<Range>& mentions, const std::vector<Mask>& masks,
                                  std::string& references) const {
    auto declared_here = [&](const Variable& variable) {
        return std::any_of(mentions.begin(), mentions.end(),
                           [&](const Range& range) { return range.holds(variable.declared_at); });
    };
    std::vector<Range> ranges = mentions;
    for (const Mask& mask : masks) ranges.insert(ranges.end(), mask.mentions.begin(), mask.mentions.end());
    std::string declarations;
    for (const auto& [order, variable] : variables_in(std::move(ranges))) {
        const std::string name = inner_name(*variable);
        if (is_uniform(*variable) && declared_here(*variable))
            continue;  // the text declares it itself
        else if (is_uniform(*variable))
            append(declarations, {"const auto& ", name, " = ", block_name(*variable), ";\n"});
        else if (variable->recomputed)
            append(declarations, {recomputed(*variable), "\n"});
        else if ((variable->is_reference() || variable->is_constant()) && declared_here(*variable))
            continue;  // not before it refers to something, or has its value
        else if (variable->is_reference())
            append(references, {"auto& ", name, " = *", array_name(*variable), ".value[cuda_shim_t];\n"});
        else
            append(declarations,
                   {variable->is_constant() ? "const auto& " : "auto& ", name, " = ", element_of(*variable), ";\n"});
    }
    return declarations;
}

}  // namespace cuda_shim
