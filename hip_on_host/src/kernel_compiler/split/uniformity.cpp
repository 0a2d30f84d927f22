#include "kernel_compiler/split/uniformity.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/analyse/function_facts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool keeps_value(std::string_view cast) {
    static constexpr std::array<std::string_view, 16> casts = {"LValueToRValue",
                                                               "NoOp",
                                                               "IntegralCast",
                                                               "FloatingCast",
                                                               "IntegralToFloating",
                                                               "FloatingToIntegral",
                                                               "IntegralToBoolean",
                                                               "FloatingToBoolean",
                                                               "PointerToBoolean",
                                                               "NullToPointer",
                                                               "FunctionToPointerDecay",
                                                               "BitCast",
                                                               "BooleanToSignedIntegral",
                                                               "ToVoid",
                                                               "PointerToIntegral",
                                                               "IntegralToPointer"};
    return one_of(cast, casts);
}

}  // namespace

Uniformity::Uniformity(KernelBody& body) : body_(body), syntax_(body.syntax()), tree_(body.tree()) {
    for (Variable& variable : body_.variables()) {
        const bool local = variable.kind == Variable::Local;
        // A variable of the whole block is a plain number or pointer: it has no constructor and no parts.
        const bool per_thread = local && (!variable.at_structure || !variable.is_scalar());
        if (per_thread || (variable.aliased && (local || variable.kind == Variable::Parameter)))
            variable.varying = true;
    }
    while (visit(body_.root(), 0)) {
    }
}

bool Uniformity::mark(Variable& variable) {
    if (variable.varying || variable.kind == Variable::Fixed) return false;
    variable.varying = true;
    return true;
}

bool Uniformity::mark_writes(Range range) {
    bool changed = false;
    for (Variable& variable : body_.variables())
        for (size_t write : variable.writes)
            if (write >= range.begin && write < range.end) changed = mark(variable) || changed;
    return changed;
}

// Marks the variables declared inside code that turned out to be one thread's.
bool Uniformity::mark_declared(Range range) {
    bool changed = false;
    for (Variable& variable : body_.variables())
        if (variable.declarator && variable.declared_at >= range.begin && variable.declared_at < range.end)
            changed = mark(variable) || changed;
    return changed;
}

bool Uniformity::is_structural(const Statement& statement) const {
    if (statement.split) return true;
    return statement.kind == Statement::If && (statement.constexpr_if || is_uniform(statement.condition)) &&
           holds_jump(tree_, statement);
}

bool Uniformity::visit(const Statement& statement, int divergence) {
    if (statement.kind == Statement::Compound) {
        bool changed = false;
        for (const auto& child : statement.children) {
            // Braces around no split statement are copied whole, and each thread runs their statements.
            const bool run_by_each_thread = child->kind == Statement::Compound && !child->split;
            changed = (run_by_each_thread ? visit_whole(*child) : visit(*child, divergence)) || changed;
        }
        return changed;
    }
    if (statement.kind == Statement::Declare) return visit_declaration(*statement.declaration, divergence);
    if (statement.kind == Statement::Expression && !statement.split)
        return visit_expression(statement.expression, divergence);
    if (!is_structural(statement)) return visit_whole(statement);
    switch (statement.kind) {
        case Statement::If: {
            bool changed = mark_writes(statement.condition);
            const int inside = divergence + (statement.constexpr_if || is_uniform(statement.condition) ? 0 : 1);
            for (const auto& child : statement.children) changed = visit(*child, inside) || changed;
            return changed;
        }
        case Statement::For:
        case Statement::While:
        case Statement::DoWhile:
            return visit_loop(statement, divergence);
        default:
            return mark_writes(statement.range);  // warp operations: their results differ
    }
}

bool Uniformity::visit_whole(const Statement& statement) {
    const bool changed = mark_writes(statement.range);
    return mark_declared(statement.range) || changed;
}

bool Uniformity::visit_declaration(const Declaration& declaration, int divergence) {
    if (declaration.kind == Declaration::Verbatim) return false;
    bool changed = false;
    for (const Declarator& declarator : declaration.declarators) {
        Variable& variable = body_.variables()[static_cast<size_t>(declarator.variable)];
        variable.divergence = divergence;
        changed = mark_writes(declarator.initial) || changed;
        const bool plain = declarator.initialiser == Declarator::None || variable.is_scalar();
        const bool guarded = divergence > 0 && may_trap(declarator.initial);
        if (!plain || guarded || (!declarator.initial.empty() && !is_uniform(declarator.initial)))
            changed = mark(variable) || changed;
    }
    return changed;
}

bool Uniformity::visit_expression(Range expression, int divergence) {
    if (!is_uniform_assignment(expression)) return mark_writes(expression);
    // At a different depth only some threads come here.
    bool changed = false;
    for (Variable& variable : body_.variables())
        if (std::any_of(variable.writes.begin(), variable.writes.end(),
                        [&](size_t write) { return expression.holds(write); }) &&
            (variable.divergence != divergence || (divergence > 0 && may_trap(expression))))
            changed = mark(variable) || changed;
    return changed;
}

bool Uniformity::visit_loop(const Statement& loop, int divergence) {
    const int inside = divergence + (has_uniform_trip_count(loop) ? 0 : 1);
    bool changed = false;
    if (loop.declaration)
        changed = visit_declaration(*loop.declaration, inside);
    else if (!loop.init.empty())
        changed = visit_expression(loop.init, divergence);
    changed = mark_writes(loop.condition) || changed;
    for (const Range& part : syntax_.comma_parts(loop.step)) changed = visit_expression(part, inside) || changed;
    for (const auto& child : loop.children) changed = visit(*child, inside) || changed;
    return changed;
}

bool Uniformity::has_uniform_header(const Statement& loop) const {
    if (!is_uniform(loop.condition) || !is_uniform_step(loop.step)) return false;
    if (loop.declaration) {
        for (const Declarator& declarator : loop.declaration->declarators)
            if (body_.variables()[static_cast<size_t>(declarator.variable)].varying) return false;
        return true;
    }
    return is_uniform_step(loop.init);
}

bool Uniformity::is_uniform_step(Range step) const {
    for (const Range& part : syntax_.comma_parts(step))
        if (!is_uniform_assignment(part)) return false;
    return true;
}

bool Uniformity::has_uniform_trip_count(const Statement& loop) const {
    return has_uniform_header(loop) && !has_divergent_jump(loop);
}

bool Uniformity::has_divergent_jump(const Statement& loop) const { return divergent_jump_in(*loop.children[0], false); }

bool Uniformity::is_guard(const Statement& statement) const {
    if (statement.kind != Statement::If || statement.children.size() != 1 || statement.constexpr_if) return false;
    const Statement* body = statement.children[0].get();
    if (body->kind == Statement::Compound && body->children.size() == 1) body = body->children[0].get();
    return body->kind == Statement::Return && body->expression.empty() && !is_uniform(statement.condition) &&
           is_recomputable(statement.condition);
}

// Is there a break or continue, for the loop around, that not all threads take which are in the loop?
bool Uniformity::divergent_jump_in(const Statement& statement, bool diverged) const {
    if (statement.kind == Statement::Break || statement.kind == Statement::Continue) return diverged;
    if (statement.kind == Statement::For || statement.kind == Statement::While ||
        statement.kind == Statement::DoWhile || statement.kind == Statement::RangeFor)
        return false;  // its own
    if (statement.kind == Statement::Switch) {
        for (const Jump& jump : leaving_jumps(tree_, statement))
            if (jump.kind != Statement::Return) return true;
        return false;
    }
    const bool diverges = statement.kind == Statement::If &&
                          !(is_structural(statement) && (statement.constexpr_if || is_uniform(statement.condition)));
    for (const auto& child : statement.children)
        if (divergent_jump_in(*child, diverged || diverges)) return true;
    return false;
}

bool Uniformity::is_same_for_block(NodeIndex reference) const {
    const SyntaxNode& node = tree_[reference];
    if (const Variable* variable = body_.variable_of(reference))
        return variable->kind == Variable::Fixed ? variable->constant : !variable->varying;
    if (syntax_.names_constant(reference)) return true;
    if (node.target_kind == NodeKind::Function) {
        const NodeIndex call = tree_[node.parent].parent;  // behind the cast to a pointer
        return tree_[call].kind == NodeKind::Call && syntax_.calls().callee(call).of_prelude &&
               one_of_sorted(node.name, kPureFunctions);
    }
    if (node.target_kind != NodeKind::Variable || node.is_volatile()) return false;
    const NodeIndex declaration = tree_.declaration(node.target);
    if (declaration == kNoNode || tree_[declaration].name_token == TokenStream::npos) {
        static constexpr std::array<std::string_view, 3> built_in_indices = {
            "cuda_shim_block_index", "cuda_shim_block_dim", "cuda_shim_grid_dim"};
        return one_of(node.name, built_in_indices);
    }
    // Among the program's own variables: the constant memory, which no kernel changes.
    return body_.unit().is_constant_memory(std::string(tree_[declaration].name));
}

// Node by node: is there anything in the expression that may differ, or that does something?
bool Uniformity::is_plain(NodeIndex index, bool (Uniformity::*accepts)(NodeIndex) const) const {
    const SyntaxNode& node = tree_[index];
    switch (node.kind) {
        case NodeKind::Literal:
        case NodeKind::Paren:
        case NodeKind::Conditional:
        case NodeKind::Sizeof:
        case NodeKind::TypeTrait:
        case NodeKind::Constant:
        case NodeKind::SubstitutedParameter:
        case NodeKind::TemplateParameter:
        case NodeKind::MaterialiseTemporary:
            return true;
        case NodeKind::ImplicitCast:
        case NodeKind::ValueCast:
            return keeps_value(node.operation) && !node.is_volatile();
        case NodeKind::Unary:
            return node.operation == "-" || node.operation == "+" || node.operation == "~" || node.operation == "!";
        case NodeKind::Binary:
            return node.operation != "=" && node.operation != "," && node.operation[0] != '.' &&
                   node.operation.substr(0, 2) != "->";
        case NodeKind::Member:
            return !node.arrow;
        case NodeKind::Call: {
            const Callee callee = syntax_.calls().callee(index);
            return callee.of_prelude && one_of_sorted(callee.name, kPureFunctions);
        }
        case NodeKind::Reference:
            return (this->*accepts)(index);
        default:
            return false;
    }
}

bool Uniformity::is_uniform(Range expression) const {
    if (expression.empty()) return true;
    if (syntax_.roots(expression).empty()) return false;
    return syntax_.all_within(expression,
                              [&](NodeIndex node) { return is_plain(node, &Uniformity::is_same_for_block); });
}

// Could computing the expression divide by zero? A thread that does not come there must not compute it then.
bool Uniformity::may_trap(Range expression) const {
    return !syntax_.all_within(expression, [&](NodeIndex index) {
        const SyntaxNode& node = tree_[index];
        if (node.operation.empty() || (node.operation[0] != '/' && node.operation[0] != '%')) return true;
        const NodeIndex divisor = tree_.child(index, 1);
        for (NodeIndex i = divisor; i < tree_[divisor].end; ++i) {
            const SyntaxNode& part = tree_[i];
            const bool literal = part.kind == NodeKind::Literal || part.kind == NodeKind::Paren ||
                                 part.kind == NodeKind::ImplicitCast || part.kind == NodeKind::Constant ||
                                 part.kind == NodeKind::SubstitutedParameter || part.kind == NodeKind::Sizeof ||
                                 part.kind == NodeKind::TemplateParameter || part.kind == NodeKind::Member;
            // blockDim and gridDim are never 0; other members are not known.
            const bool constant =
                part.kind == NodeKind::Reference &&
                (part.name == "cuda_shim_block_dim" || part.name == "cuda_shim_grid_dim" || is_known_constant(i));
            if (!literal && !constant) return node.type == "float" || node.type == "double";
        }
        return true;
    });
}

bool Uniformity::is_known_constant(NodeIndex reference) const {
    const Variable* variable = body_.variable_of(reference);
    if (variable) return variable->kind == Variable::Fixed && variable->constant;
    return syntax_.names_constant(reference);
}

// The variable that the expression assigns, and nothing else; null where it does something else.
const Variable* Uniformity::assigned_variable(NodeIndex root) const {
    root = tree_.without_parens(root);
    const SyntaxNode& node = tree_[root];
    const bool assigns = (node.kind == NodeKind::Binary && node.operation == "=") ||
                         node.kind == NodeKind::CompoundAssign ||
                         (node.kind == NodeKind::Unary && (node.operation == "++" || node.operation == "--"));
    if (!assigns) return nullptr;
    const NodeIndex target = tree_.without_parens(tree_.child(root, 0));
    return tree_[target].kind == NodeKind::Reference ? body_.variable_of(target) : nullptr;
}

bool Uniformity::is_known_to_block(Range expression) const {
    for (size_t i = expression.begin; i < expression.end; ++i) {
        const Variable* variable = body_.variable_at(i);
        if (variable && !variable->at_structure) return false;
    }
    return is_uniform(expression);
}

bool Uniformity::is_uniform_assignment(Range expression) const {
    const std::vector<NodeIndex> roots = syntax_.roots(expression);
    for (NodeIndex root : roots) {
        const Variable* target = assigned_variable(root);
        if (!target || target->varying || target->kind == Variable::Fixed || !target->at_structure ||
            !target->is_scalar())
            return false;
        const NodeIndex value = tree_.child(tree_.without_parens(root), 1);
        if (value == kNoNode) continue;
        for (NodeIndex i = value; i < tree_[value].end; ++i)
            if (!is_plain(i, &Uniformity::is_same_for_block)) return false;
    }
    return !roots.empty();
}

// True if the value never changes again, and is computed from such values.
bool Uniformity::is_stable(NodeIndex reference) const {
    const Variable* variable = body_.variable_of(reference);
    if (!variable) return tree_[reference].name == "cuda_shim_thread_index" || is_same_for_block(reference);
    if (variable->kind == Variable::Fixed) return variable->constant;
    if (!variable->writes.empty() || variable->aliased) return false;
    return variable->kind != Variable::Local || !variable->varying || variable->recomputed;
}

// A strided loop's variable, which is recomputed from the round, changes between regions alone, as the block's do.
bool Uniformity::is_stable_in_region(NodeIndex reference) const {
    const Variable* variable = body_.variable_of(reference);
    return is_stable(reference) || is_same_for_block(reference) || (variable && variable->recomputed);
}

// True if the expression has few names, numbers and operations; conversions and parentheses do not count.
bool Uniformity::is_short(Range expression) const {
    constexpr int max_parts = 30;
    const std::vector<NodeIndex> roots = syntax_.roots(expression);
    return !roots.empty() && std::all_of(roots.begin(), roots.end(), [&](NodeIndex root) {
        int parts = 0;
        for (NodeIndex i = root; i < tree_[root].end; ++i) {
            const NodeKind kind = tree_[i].kind;
            if (kind != NodeKind::Paren && kind != NodeKind::ImplicitCast && kind != NodeKind::ValueCast) ++parts;
        }
        return parts <= max_parts;
    });
}

bool Uniformity::is_cheap(Range expression, bool (Uniformity::*accepts)(NodeIndex) const) const {
    if (expression.empty() || !is_short(expression) || may_trap(expression)) return false;
    return syntax_.all_within(expression, [&](NodeIndex node) { return is_plain(node, accepts); });
}

bool Uniformity::is_recomputable(Range expression) const { return is_cheap(expression, &Uniformity::is_stable); }

bool Uniformity::is_steady(Range expression) const { return is_cheap(expression, &Uniformity::is_stable_in_region); }

}  // namespace cuda_shim
