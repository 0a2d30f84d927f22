#include "kernel_compiler/split/interchange.h"

#include <stdlib.h>

#include <algorithm>

#include "kernel_compiler/split/divergent_loops.h"
#include "kernel_compiler/split/kernel_body.h"
#include "kernel_compiler/split/uniformity.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Compilers unroll shorter loops of constant length, and vectorise across threads then.
constexpr long kMinConstantTrips = 48;
// Unless the unrolled text would be longer than this.
constexpr long kMaxUnrolledTokens = 8192;
// With fewer stored variables, reading and writing them costs less than the computation.
constexpr size_t kMinVariablesForStrips = 3;
constexpr size_t kMaxTileTokens = 100;  // the text is there for each of a tile's registers

class CandidateMarker {
public:
    CandidateMarker(const FunctionSyntax& syntax, const std::set<size_t>& rejected)
        : syntax_(syntax), rejected_(rejected) {}

    bool mark(Statement& statement) {
        switch (statement.kind) {
            case Statement::Compound:
                return mark_children(statement);
            case Statement::If:
                if (!statement.split && (holds_jump(syntax_.tree(), statement) || statement.constexpr_if)) return false;
                return mark_children(statement);
            case Statement::For:
                return mark_loop(statement);
            case Statement::While:
            case Statement::DoWhile:
                if (statement.split) {
                    mark_children(statement);
                    return true;
                }
                return statement.kind == Statement::DoWhile ? mark_loop(statement) : mark_divergent_loop(statement);
            default:
                return statement.split;
        }
    }

    std::vector<const Statement*> candidates;

private:
    bool mark_children(Statement& statement) {
        bool any = false;
        for (auto& child : statement.children) any = mark(*child) || any;
        statement.split = statement.split || any;
        return statement.split;
    }

    bool mark_loop(Statement& loop) {
        if (loop.split) {
            mark_children(loop);
            return true;
        }
        if (mark_divergent_loop(loop)) return true;
        const bool tested_last = loop.kind == Statement::DoWhile;
        if (rejected_.count(loop.range.begin) || loop.condition.empty() || (loop.step.empty() && !tested_last) ||
            has_jump_out(loop))
            return false;
        // A loop that is tested last is split only where its condition is the block's: no thread waits in it by itself.
        if (tested_last ? may_poll_memory(loop.range) || may_wait(*loop.children[0]) : may_wait(loop)) return false;
        const bool inside = mark_children(loop);
        if (!inside && has_long_loop(*loop.children[0])) return false;  // a loop in there stays whole: so does the nest
        if (!inside && !tested_last && !is_long(loop)) return false;
        loop.split = true;
        candidates.push_back(&loop);
        return true;
    }

    // Threads may wait for each other in such loops by themselves.
    bool may_wait(const Statement& statement) const {
        if (may_poll_memory(statement.range)) return true;
        if (statement.kind == Statement::While || statement.kind == Statement::DoWhile)
            return !is_arithmetic_loop(statement, syntax_);
        return std::any_of(statement.children.begin(), statement.children.end(),
                           [&](const auto& child) { return may_wait(*child); });
    }
    bool may_poll_memory(Range range) const {
        return !syntax_.all_within(range, [&](NodeIndex node) {
            if (!syntax_.calls().may_poll(node)) return true;
            // An addition waits for no thread; an exchange may be a lock's.
            const std::string_view name = syntax_.calls().callee(node).name;
            return starts_with(name, "atomic") && !starts_with(name, "atomicCAS") && !starts_with(name, "atomicExch");
        });
    }

    // Marks a loop that threads may leave one by one; is_profitable decides once the varying variables are known.
    bool mark_divergent_loop(Statement& loop) {
        const bool short_one = loop.kind == Statement::For && !loop.condition.empty() && !is_long(loop);
        if (short_one || rejected_.count(loop.range.begin) || !is_arithmetic_loop(loop, syntax_)) return false;
        loop.split = true;
        candidates.push_back(&loop);
        return true;
    }

    static bool has_jump_out(const Statement& loop) { return jumps_out(*loop.children[0], false); }
    static bool jumps_out(const Statement& statement, bool in_loop) {
        if (statement.kind == Statement::Return || statement.kind == Statement::Switch ||
            statement.kind == Statement::Other)
            return true;
        if (statement.kind == Statement::Break || statement.kind == Statement::Continue) return !in_loop;
        return std::any_of(statement.children.begin(), statement.children.end(),
                           [&](const auto& child) { return jumps_out(*child, in_loop || is_loop(statement)); });
    }

    // Short ones are unrolled by compilers.
    bool has_long_loop(const Statement& statement) const {
        if (is_loop(statement) &&
            (statement.kind != Statement::For || statement.condition.empty() || is_long(statement)))
            return true;
        return std::any_of(statement.children.begin(), statement.children.end(),
                           [&](const auto& child) { return has_long_loop(*child); });
    }

    // The number of rounds is known only when the kernel runs, or is a large number.
    bool is_long(const Statement& loop) const {
        bool is_long = false;
        for (const Range& part : {loop.init, loop.condition, loop.step})
            syntax_.for_each_within(part, [&](NodeIndex index) {
                const SyntaxNode& node = syntax_.tree()[index];
                const bool in_condition = loop.condition.holds(node.tokens);
                if (node.kind == NodeKind::Literal)
                    is_long = is_long || (in_condition && is_long_trip(loop, node.tokens.begin));
                else if (node.kind == NodeKind::Reference)
                    is_long = is_long || !is_own_or_constant(loop, index);
            });
        return is_long;
    }
    bool is_long_trip(const Statement& loop, size_t literal) const {
        const long trip = atol(std::string(syntax_.tokens().text(literal)).c_str());
        const Range body = loop.children[0]->range;
        return trip > kMinConstantTrips || trip * static_cast<long>(body.end - body.begin) > kMaxUnrolledTokens;
    }
    bool is_own_or_constant(const Statement& loop, NodeIndex reference) const {
        if (syntax_.names_constant(reference) || syntax_.tree()[reference].target_kind == NodeKind::Function)
            return true;
        const size_t variable = syntax_.variable_of(reference);
        return variable != TokenStream::npos && loop.init.holds(variable);
    }

    const FunctionSyntax& syntax_;
    const std::set<size_t>& rejected_;
};

}  // namespace

std::vector<const Statement*> mark_interchange_candidates(Statement& root, const FunctionSyntax& syntax,
                                                          const std::set<size_t>& rejected) {
    CandidateMarker marker(syntax, rejected);
    marker.mark(root);
    return marker.candidates;
}

namespace {

// The variable that an expression names, and nothing else.
const Variable* named_variable(const KernelBody& body, NodeIndex node) {
    while (body.tree()[node].kind == NodeKind::ImplicitCast && body.tree()[node].operation == "LValueToRValue")
        node = body.tree().without_parens(body.tree().child(node, 0));
    return body.tree()[node].kind == NodeKind::Reference ? body.variable_of(node) : nullptr;
}

// The text of the other operand in `variable < bound` or `variable += stride`; empty where the expression is something
// else.
Range other_operand(const KernelBody& body, Range expression, const Variable& variable,
                    std::initializer_list<std::string_view> operators) {
    const SyntaxTree& tree = body.tree();
    Range other;
    for (NodeIndex root : body.syntax().roots(expression)) {
        const NodeIndex node = tree.without_parens(root);
        const NodeKind kind = tree[node].kind;
        if (kind != NodeKind::Binary && kind != NodeKind::CompoundAssign) return {};
        if (std::find(operators.begin(), operators.end(), tree[node].operation) == operators.end()) return {};
        if (named_variable(body, tree.child(node, 0)) != &variable) return {};
        other = tree[tree.child(node, 1)].tokens;
    }
    return other;
}

}  // namespace

StridedLoop as_strided(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    StridedLoop strided;
    if (loop.kind != Statement::For || !loop.declaration || loop.declaration->declarators.size() != 1) return strided;
    const Declarator& declarator = loop.declaration->declarators[0];
    if (declarator.variable < 0) return strided;
    const Variable& variable = body.variables()[static_cast<size_t>(declarator.variable)];
    // Sums of floating point numbers are no products.
    if (declarator.initialiser != Declarator::Assigned || !variable.is_integer() || variable.aliased ||
        variable.writes.size() != 1 || body.tokens().is(loop.declaration->specifiers.begin, "auto"))
        return strided;
    const Range bound = other_operand(body, loop.condition, variable, {"<", "<="});
    const Range stride = other_operand(body, loop.step, variable, {"+="});
    if (bound.empty() || stride.empty() || !loop.step.holds(variable.writes[0])) return strided;
    auto stable = [&](Range range) { return uniformity.is_uniform(range) && uniformity.is_recomputable(range); };
    if (!stable(bound) || !stable(stride) || !uniformity.is_recomputable(declarator.initial)) return strided;
    strided.is = true;
    strided.variable = declarator.variable;
    strided.initial = declarator.initial;
    strided.bound = bound;
    strided.stride = stride;
    return strided;
}

bool is_one_region_body(const SyntaxTree& tree, const Statement& loop) {
    return !loop.children[0]->split && !holds_jump(tree, *loop.children[0]);
}

std::vector<const Variable*> per_thread_variables_in(const Statement& loop, const KernelBody& body) {
    std::vector<const Variable*> variables;
    for (const Variable& variable : body.variables())
        if (variable.per_thread &&
            std::any_of(variable.uses.begin(), variable.uses.end(), [&](size_t use) { return loop.range.holds(use); }))
            variables.push_back(&variable);
    return variables;
}

ThreadGroups choose_thread_groups(const Statement& loop, const KernelBody& body) {
    if (loop.kind != Statement::For || !loop.declaration) return ThreadGroups::All;
    if (std::count(body.interchanged_loops().begin(), body.interchanged_loops().end(), &loop) == 0)
        return ThreadGroups::All;
    for (const Statement* statement : loop.children[0]->statements()) {
        const bool plain = statement->kind == Statement::Expression || statement->kind == Statement::Declare;
        if (!plain || statement->split) return ThreadGroups::All;
    }
    // A variable of the block that the loop changes would change once for every strip.
    for (const Variable& variable : body.variables())
        if (!variable.varying && !loop.range.holds(variable.declared_at) &&
            std::any_of(variable.writes.begin(), variable.writes.end(),
                        [&](size_t write) { return loop.range.holds(write); }))
            return ThreadGroups::All;
    const std::vector<const Variable*> variables = per_thread_variables_in(loop, body);
    if (std::any_of(variables.begin(), variables.end(), [](const Variable* variable) { return variable->is_array(); }))
        return ThreadGroups::All;
    if (variables.size() >= kMinVariablesForStrips) return ThreadGroups::Strips;
    const bool all_numbers = std::all_of(variables.begin(), variables.end(), [](const Variable* variable) {
        return variable->is_arithmetic() && !variable->aliased;
    });
    const bool any_changes = std::any_of(variables.begin(), variables.end(), [&](const Variable* variable) {
        return std::any_of(variable->writes.begin(), variable->writes.end(),
                           [&](size_t write) { return loop.range.holds(write); });
    });
    const bool is_short = loop.range.end - loop.range.begin <= kMaxTileTokens;
    return all_numbers && any_changes && is_short ? ThreadGroups::Tiles : ThreadGroups::All;
}

bool is_profitable(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    if (runs_under_lane_mask(loop, body, uniformity)) return true;
    const bool counts = loop.kind == Statement::For && !loop.step.empty();
    if ((!counts && loop.kind != Statement::DoWhile) || loop.condition.empty() ||
        holds_jump(body.tree(), *loop.children[0]))
        return false;
    // A local array that lives across rounds would be strided in memory for neighbouring threads.
    for (const Variable& variable : body.variables()) {
        if (!variable.is_array() || variable.kind != Variable::Local) continue;
        if (variable.declared_at >= loop.range.begin && variable.declared_at < loop.range.end) continue;
        for (size_t use : variable.uses)
            if (use >= loop.range.begin && use < loop.range.end) return false;
    }
    return uniformity.has_uniform_trip_count(loop) || as_strided(loop, body, uniformity).is;
}

}  // namespace cuda_shim
