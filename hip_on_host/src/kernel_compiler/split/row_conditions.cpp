#include "kernel_compiler/split/row_conditions.h"

#include <array>

#include "kernel_compiler/words.h"

namespace cuda_shim {
namespace {

enum class Growth { None, ByOne, Unknown };

class RowReader {
public:
    explicit RowReader(const KernelBody& body) : body_(body), tree_(body.tree()) {}

    // Adds the node's comparisons. False where it is not understood.
    bool read(NodeIndex node, bool negated, std::vector<RowCondition>& found) const {
        node = without_conversions(node);
        const SyntaxNode& about = tree_[node];
        if (growth(node) == Growth::None && !about.tokens.empty()) {
            found.push_back({{}, about.tokens, "", negated});
            return true;
        }
        if (about.kind == NodeKind::Unary && about.operation == "!") return read(tree_.child(node, 0), !negated, found);
        if (about.kind != NodeKind::Binary) return false;
        const NodeIndex left = tree_.child(node, 0), right = tree_.child(node, 1);
        if (about.operation == (negated ? "||" : "&&"))
            return read(left, negated, found) && read(right, negated, found);
        const std::string_view relation = relation_of(about.operation, negated);
        const Range first = tree_[left].tokens, second = tree_[right].tokens;
        if (relation.empty() || first.empty() || second.empty() || !is_whole_number(left)) return false;
        if (growth(left) == Growth::ByOne && growth(right) == Growth::None)
            found.push_back({first, second, relation, false, names_block(left)});
        else if (growth(left) == Growth::None && growth(right) == Growth::ByOne)
            found.push_back({second, first, mirrored(relation), false, names_block(right)});
        else
            return false;
        return true;
    }

private:
    struct Relation {
        std::string_view name, contrary, mirrored;
    };
    static constexpr std::array<Relation, 5> kRelations = {
        {{"<", ">=", ">"}, {">=", "<", "<="}, {">", "<=", "<"}, {"<=", ">", ">="}, {"==", "!=", "=="}}};
    // Empty where it does not hold for neighbours.
    static std::string_view relation_of(std::string_view operation, bool negated) {
        for (const Relation& relation : kRelations)
            if ((negated ? relation.contrary : relation.name) == operation) return relation.name;
        return {};
    }
    static std::string_view mirrored(std::string_view name) {
        for (const Relation& relation : kRelations)
            if (relation.name == name) return relation.mirrored;
        return {};
    }

    // Is the operand a whole number? Both operands have one type by now.
    bool is_whole_number(NodeIndex node) const {
        static constexpr std::array<std::string_view, 6> types = {
            "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"};
        std::string_view type = tree_[node].real_type();
        if (starts_with(type, "const ")) type.remove_prefix(6);
        return one_of(type, types);
    }

    static bool keeps_number(const SyntaxNode& node) {
        if (node.kind == NodeKind::Paren) return true;
        return (node.kind == NodeKind::ImplicitCast || node.kind == NodeKind::ValueCast) &&
               (node.operation == "IntegralCast" || node.operation == "NoOp" || node.operation == "LValueToRValue");
    }
    NodeIndex without_conversions(NodeIndex node) const {
        while (keeps_number(tree_[node])) node = tree_.child(node, 0);
        return node;
    }

    // The growth from a thread of a row to the next. Conversions between integers preserve it modulo a power of two.
    Growth growth(NodeIndex node) const {
        if (is_same_for_row(node)) return Growth::None;
        node = without_conversions(node);
        const SyntaxNode& about = tree_[node];
        if (names_x(node)) return Growth::ByOne;
        if (about.kind == NodeKind::Reference) return growth_of(body_.variable_of(node));
        if (about.kind != NodeKind::Binary || (about.operation != "+" && about.operation != "-"))
            return Growth::Unknown;
        if (about.real_type().find('*') != std::string_view::npos) return Growth::Unknown;
        const Growth left = growth(tree_.child(node, 0)), right = growth(tree_.child(node, 1));
        if (left == Growth::ByOne && right == Growth::None) return Growth::ByOne;
        return left == Growth::None && right == Growth::ByOne && about.operation == "+" ? Growth::ByOne
                                                                                        : Growth::Unknown;
    }
    // A strided loop's variable grows as its first value does: the same is added to it for all threads.
    Growth growth_of(const Variable* variable) const {
        if (!variable || !variable->recomputed || !variable->is_integer()) return Growth::Unknown;
        const std::vector<NodeIndex> roots = body_.syntax().roots(variable->initial());
        for (NodeIndex root : roots)
            if (growth(root) != Growth::ByOne) return Growth::Unknown;
        return roots.empty() ? Growth::Unknown : Growth::ByOne;
    }
    bool names_block(NodeIndex node) const {
        for (NodeIndex i = node; i < tree_[node].end; ++i) {
            if (tree_[i].name == "cuda_shim_block_index") return true;
            const Variable* variable = tree_[i].kind == NodeKind::Reference ? body_.variable_of(i) : nullptr;
            if (!variable || !variable->recomputed) continue;
            for (NodeIndex root : body_.syntax().roots(variable->initial()))
                if (names_block(root)) return true;
        }
        return false;
    }
    bool names_x(NodeIndex node) const {
        return tree_[node].kind == NodeKind::Member && tree_[node].name == "x" &&
               tree_[tree_.child(node, 0)].name == "cuda_shim_thread_index";
    }
    bool is_same_for_row(NodeIndex node) const {
        for (NodeIndex i = node; i < tree_[node].end; ++i) {
            const SyntaxNode& part = tree_[i];
            if (part.name == "cuda_shim_thread_index") {
                const SyntaxNode& member = tree_[part.parent];
                if (member.kind != NodeKind::Member || (member.name != "y" && member.name != "z")) return false;
            } else if (part.kind == NodeKind::Reference && !is_same_for_row(body_.variable_of(i))) {
                return false;
            }
        }
        return true;
    }
    bool is_same_for_row(const Variable* variable) const {
        if (!variable || !variable->varying) return true;  // the program's constants, and the block's variables
        if (!variable->recomputed) return variable->kind == Variable::Fixed;
        const std::vector<NodeIndex> roots = body_.syntax().roots(variable->initial());
        for (NodeIndex root : roots)
            if (!is_same_for_row(root)) return false;
        return !roots.empty();
    }

    const KernelBody& body_;
    const SyntaxTree& tree_;
};

}  // namespace

bool RowCondition::operator==(const RowCondition& other) const {
    const auto same = [](Range one, Range two) { return one.begin == two.begin && one.end == two.end; };
    return same(growing, other.growing) && same(fixed, other.fixed) && relation == other.relation &&
           negated == other.negated;
}

std::optional<std::vector<RowCondition>> row_conditions(const KernelBody& body, Range condition, bool negated) {
    std::optional<std::vector<RowCondition>> all;
    for (NodeIndex root : body.syntax().roots(condition)) {
        std::vector<RowCondition> found;
        if (!RowReader(body).read(root, negated, found) || (all && *all != found)) return std::nullopt;
        all = std::move(found);
    }
    return all;
}

}  // namespace cuda_shim
