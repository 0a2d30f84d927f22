#include "kernel_compiler/split/affine_guards.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

enum class Stride { Zero, One, Unknown };

class GuardReader {
public:
    explicit GuardReader(const KernelBody& body) : body_(body), tree_(body.tree()) {}

    // Adds the node's comparisons. False where it is not understood.
    bool read(NodeIndex node, bool negated, std::vector<AffineGuard>& guards) const {
        node = without_conversions(node);
        const SyntaxNode& expression = tree_[node];
        if (stride_of(node) == Stride::Zero && !expression.tokens.empty()) {
            guards.push_back({{}, expression.tokens, "", negated});
            return true;
        }
        if (expression.kind == NodeKind::Unary && expression.operation == "!")
            return read(tree_.child(node, 0), !negated, guards);
        if (expression.kind == NodeKind::ImplicitCast && expression.operation == "IntegralToBoolean")
            return negated && read_periodic(tree_.child(node, 0), kNoNode, guards);
        if (expression.kind != NodeKind::Binary) return false;
        const NodeIndex left = tree_.child(node, 0), right = tree_.child(node, 1);
        if (expression.operation == (negated ? "||" : "&&"))
            return read(left, negated, guards) && read(right, negated, guards);
        const std::string_view relation = neighbour_relation(expression.operation, negated);
        const Range first = tree_[left].tokens, second = tree_[right].tokens;
        if (relation.empty() || first.empty() || second.empty() || !is_integer(left)) return false;
        if (relation == "==" && (read_periodic(left, right, guards) || read_periodic(right, left, guards))) return true;
        if (stride_of(left) == Stride::One && stride_of(right) == Stride::Zero)
            guards.push_back({first, second, relation, false, names_block_index(left)});
        else if (stride_of(left) == Stride::Zero && stride_of(right) == Stride::One)
            guards.push_back({second, first, mirrored(relation), false, names_block_index(right)});
        else
            return false;
        return true;
    }

private:
    // Adds `growing == bound`, where `growing` is the rest of a number that grows by one; without a bound, of zero.
    bool read_periodic(NodeIndex growing, NodeIndex bound, std::vector<AffineGuard>& guards) const {
        const NodeIndex rest = rest_of_division(growing);
        if (rest == kNoNode || (bound != kNoNode && stride_of(bound) != Stride::Zero)) return false;
        const SyntaxNode& division = tree_[rest];
        const bool by_mask = division.operation == "&";
        // The rest of a negative number is negative: only that of zero comes again in every period.
        const bool may_be_negative = !by_mask && !starts_with(division.real_type(), "unsigned");
        if (may_be_negative && bound != kNoNode && !is_zero(bound)) return false;
        AffineGuard guard{tree_[growing].tokens, bound == kNoNode ? Range{} : tree_[bound].tokens, "==", false, false};
        guard.period = tree_[tree_.child(rest, 1)].tokens;
        guard.period_is_mask = by_mask;
        if (guard.affine.empty() || guard.period.empty()) return false;
        guards.push_back(guard);
        return true;
    }
    // The `i % 32` or `i & 31` that is the node's value; kNoNode where it is another.
    NodeIndex rest_of_division(NodeIndex node) const {
        node = without_conversions(node);
        const SyntaxNode& expression = tree_[node];
        if (expression.kind == NodeKind::Reference) {
            const Variable* variable = body_.variable_of(node);
            if (!variable || !variable->recomputed || !variable->is_integer()) return kNoNode;
            const std::vector<NodeIndex> roots = body_.syntax().roots(variable->initial());
            return roots.size() == 1 ? rest_of_division(roots[0]) : kNoNode;
        }
        const bool is_rest = expression.kind == NodeKind::Binary &&
                             (expression.operation == "%" || expression.operation == "&") && is_integer(node) &&
                             stride_of(tree_.child(node, 0)) == Stride::One && is_constant(tree_.child(node, 1));
        return is_rest ? node : kNoNode;
    }
    // Is it an expression of literals and the program's constants?
    bool is_constant(NodeIndex node) const {
        node = without_conversions(node);
        const SyntaxNode& expression = tree_[node];
        if (expression.kind == NodeKind::Reference) {
            const Variable* variable = body_.variable_of(node);
            return (!variable || variable->kind == Variable::Fixed) && body_.syntax().names_constant(node);
        }
        if (expression.kind == NodeKind::Binary)
            return is_constant(tree_.child(node, 0)) && is_constant(tree_.child(node, 1));
        return expression.kind == NodeKind::Literal;
    }
    bool is_zero(NodeIndex node) const {
        node = without_conversions(node);
        return tree_[node].kind == NodeKind::Literal && tree_[node].tokens.end == tree_[node].tokens.begin + 1 &&
               body_.tokens().is(tree_[node].tokens.begin, "0");
    }

    struct Relation {
        std::string_view name, negation, mirrored;
    };
    static constexpr std::array<Relation, 5> kRelations = {
        {{"<", ">=", ">"}, {">=", "<", "<="}, {">", "<=", "<"}, {"<=", ">", ">="}, {"==", "!=", "=="}}};
    // Empty where it does not hold for neighbours.
    static std::string_view neighbour_relation(std::string_view operation, bool negated) {
        for (const Relation& relation : kRelations)
            if ((negated ? relation.negation : relation.name) == operation) return relation.name;
        return {};
    }
    static std::string_view mirrored(std::string_view name) {
        for (const Relation& relation : kRelations)
            if (relation.name == name) return relation.mirrored;
        return {};
    }

    // Is the operand a whole number? Both operands have one type by now.
    bool is_integer(NodeIndex node) const {
        static constexpr std::array<std::string_view, 6> types = {
            "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"};
        std::string_view type = tree_[node].real_type();
        if (starts_with(type, "const ")) type.remove_prefix(6);
        return one_of(type, types);
    }

    static bool is_integer_conversion(const SyntaxNode& node) {
        if (node.kind == NodeKind::Paren) return true;
        return (node.kind == NodeKind::ImplicitCast || node.kind == NodeKind::ValueCast) &&
               (node.operation == "IntegralCast" || node.operation == "NoOp" || node.operation == "LValueToRValue");
    }
    NodeIndex without_conversions(NodeIndex node) const {
        while (is_integer_conversion(tree_[node])) node = tree_.child(node, 0);
        return node;
    }

    // The growth from a thread of a row to the next. Conversions between integers preserve it modulo a power of two.
    Stride stride_of(NodeIndex node) const {
        if (is_row_uniform(node)) return Stride::Zero;
        node = without_conversions(node);
        const SyntaxNode& expression = tree_[node];
        if (is_thread_index_x(node)) return Stride::One;
        if (expression.kind == NodeKind::Reference) return stride_of_variable(body_.variable_of(node));
        if (expression.kind != NodeKind::Binary || (expression.operation != "+" && expression.operation != "-"))
            return Stride::Unknown;
        if (expression.real_type().find('*') != std::string_view::npos) return Stride::Unknown;
        const Stride left = stride_of(tree_.child(node, 0)), right = stride_of(tree_.child(node, 1));
        if (left == Stride::One && right == Stride::Zero) return Stride::One;
        return left == Stride::Zero && right == Stride::One && expression.operation == "+" ? Stride::One
                                                                                           : Stride::Unknown;
    }
    // A strided loop's variable grows as its first value does: the same is added to it for all threads.
    Stride stride_of_variable(const Variable* variable) const {
        if (!variable || !variable->recomputed || !variable->is_integer()) return Stride::Unknown;
        const std::vector<NodeIndex> roots = body_.syntax().roots(variable->initial());
        for (NodeIndex root : roots)
            if (stride_of(root) != Stride::One) return Stride::Unknown;
        return roots.empty() ? Stride::Unknown : Stride::One;
    }
    bool names_block_index(NodeIndex node) const {
        for (NodeIndex i = node; i < tree_[node].end; ++i) {
            if (tree_[i].name == "cuda_shim_block_index") return true;
            const Variable* variable = tree_[i].kind == NodeKind::Reference ? body_.variable_of(i) : nullptr;
            if (!variable || !variable->recomputed) continue;
            for (NodeIndex root : body_.syntax().roots(variable->initial()))
                if (names_block_index(root)) return true;
        }
        return false;
    }
    bool is_thread_index_x(NodeIndex node) const {
        return tree_[node].kind == NodeKind::Member && tree_[node].name == "x" &&
               tree_[tree_.child(node, 0)].name == "cuda_shim_thread_index";
    }
    bool is_row_uniform(NodeIndex node) const {
        for (NodeIndex i = node; i < tree_[node].end; ++i) {
            const SyntaxNode& part = tree_[i];
            if (part.name == "cuda_shim_thread_index") {
                const SyntaxNode& member = tree_[part.parent];
                if (member.kind != NodeKind::Member || (member.name != "y" && member.name != "z")) return false;
            } else if (part.kind == NodeKind::Reference && !is_row_uniform(body_.variable_of(i))) {
                return false;
            }
        }
        return true;
    }
    bool is_row_uniform(const Variable* variable) const {
        if (!variable || !variable->varying) return true;  // the program's constants, and the block's variables
        if (!variable->recomputed) return variable->kind == Variable::Fixed;
        const std::vector<NodeIndex> roots = body_.syntax().roots(variable->initial());
        for (NodeIndex root : roots)
            if (!is_row_uniform(root)) return false;
        return !roots.empty();
    }

    const KernelBody& body_;
    const SyntaxTree& tree_;
};

}  // namespace

bool AffineGuard::operator==(const AffineGuard& other) const {
    const auto same = [](Range one, Range two) { return one.begin == two.begin && one.end == two.end; };
    return same(affine, other.affine) && same(bound, other.bound) && same(period, other.period) &&
           relation == other.relation && negated == other.negated;
}

std::optional<std::vector<AffineGuard>> affine_guards(const KernelBody& body, Range condition, bool negated,
                                                      PeriodicGuards periodic) {
    std::optional<std::vector<AffineGuard>> guards;
    for (NodeIndex root : body.syntax().roots(condition)) {
        std::vector<AffineGuard> own;
        if (!GuardReader(body).read(root, negated, own) || (guards && *guards != own)) return std::nullopt;
        const auto periodic_guards =
            std::count_if(own.begin(), own.end(), [](const AffineGuard& guard) { return guard.is_periodic(); });
        if (periodic_guards > (periodic == PeriodicGuards::Allowed ? 1 : 0)) return std::nullopt;
        guards = std::move(own);
    }
    return guards;
}

}  // namespace cuda_shim
