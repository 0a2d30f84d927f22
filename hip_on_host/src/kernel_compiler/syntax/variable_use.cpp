#include "kernel_compiler/syntax/variable_use.h"

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_constant_type(std::string_view type) {
    return ends_with(type, "const") || (starts_with(type, "const ") && type.find('*') == std::string_view::npos);
}

std::string_view without_const(std::string_view type) { return starts_with(type, "const ") ? type.substr(6) : type; }

bool is_reference_or_pointer(std::string_view type) {
    return type.find('&') != std::string_view::npos || type.find('*') != std::string_view::npos;
}

bool is_statement(NodeKind kind) {
    switch (kind) {
        case NodeKind::Compound:
        case NodeKind::If:
        case NodeKind::For:
        case NodeKind::While:
        case NodeKind::Do:
        case NodeKind::Switch:
        case NodeKind::Case:
        case NodeKind::Attributed:
            return true;
        default:
            return false;
    }
}

// Follows the object that a reference names up through the expression, as long as it is that object.
class UseFinder {
public:
    UseFinder(const CallGraph& calls, NodeIndex reference) : calls_(calls), tree_(calls.tree()), at_(reference) {}

    Use follow() {
        if (tree_[at_].is_volatile()) return Use::Escape;
        while (true) {
            const NodeIndex above = tree_[at_].parent;
            if (above == kNoNode) return Use::Escape;
            if (const Step step = look(above, tree_[above]); step.is_final) return step.use;
            at_ = above;
        }
    }

private:
    struct Step {
        bool is_final;
        Use use;
    };
    static Step go_on() { return {false, Use::Read}; }
    static Step end(Use use) { return {true, use}; }
    Step end_reading() const { return end(is_written_ ? Use::Write : Use::Read); }
    Step end_discarded() const { return end(is_written_ ? Use::Write : Use::Mention); }
    Step write() {
        is_written_ = true;
        return go_on();
    }
    bool is_child(NodeIndex above, size_t number) const { return tree_.child(above, number) == at_; }

    Step look(NodeIndex above, const SyntaxNode& node) {
        switch (node.kind) {
            case NodeKind::Paren:
            case NodeKind::WithCleanups:
            case NodeKind::Constant:
                return go_on();
            case NodeKind::ImplicitCast:
            case NodeKind::ValueCast:
                return cast(above, node);
            case NodeKind::Member:
                return member(above, node);
            case NodeKind::Subscript:
                return is_child(above, 0) ? go_on() : end(Use::Escape);
            case NodeKind::Unary:
                if (node.operation != "++" && node.operation != "--") return end(Use::Escape);
                return node.postfix ? end(Use::Write) : write();
            case NodeKind::Binary:
                if (node.operation == "=" && is_child(above, 0)) return write();
                if (node.operation == ",") return is_child(above, 1) ? go_on() : end_discarded();
                return end(Use::Escape);
            case NodeKind::CompoundAssign:
                return is_child(above, 0) ? write() : end(Use::Escape);
            case NodeKind::Conditional:
                return is_child(above, 0) ? end(Use::Escape) : go_on();
            case NodeKind::Sizeof:
            case NodeKind::TypeTrait:
                return end_discarded();
            case NodeKind::Construct:
                // A copy. Kept and shared variables are asserted to be trivially copyable.
                return without_const(node.type) == without_const(tree_[at_].type) ? end_reading() : end(Use::Escape);
            case NodeKind::Call:
            case NodeKind::OperatorCall:
                return argument(above, node);
            default:
                return is_statement(node.kind) ? end_discarded() : end(Use::Escape);
        }
    }

    Step cast(NodeIndex above, const SyntaxNode& node) {
        if (node.operation == "LValueToRValue") return end_reading();
        if (node.operation == "ToVoid") return end_discarded();
        if (node.operation == "NoOp" && node.kind == NodeKind::ImplicitCast) return go_on();
        // s.array[i] and array[i] are parts of the variable.
        const NodeIndex outer = node.parent;
        if (node.operation == "ArrayToPointerDecay" && tree_[outer].kind == NodeKind::Subscript &&
            tree_.child(outer, 0) == above)
            return go_on();
        return end(Use::Escape);
    }

    Step member(NodeIndex above, const SyntaxNode& node) {
        if (node.arrow) return end(Use::Escape);
        const NodeIndex call = node.parent;
        if (tree_[call].kind != NodeKind::MethodCall || tree_.child(call, 0) != above) return go_on();
        const Callee callee = calls_.callee(call);
        if (!callee.of_prelude || is_reference_or_pointer(tree_[call].type)) return end(Use::Escape);
        return end(starts_with(callee.name, "operator ") ? Use::Read : Use::Write);
    }

    // Functions of the prelude use their arguments while they run, and keep nothing.
    Step argument(NodeIndex call, const SyntaxNode& node) {
        const Callee callee = calls_.callee(call);
        if (!callee.of_prelude) return end(Use::Escape);
        const bool constant = is_constant_type(tree_[at_].type);
        if (is_reference_or_pointer(node.type)) return end(Use::Escape);
        if (tree_[call].kind == NodeKind::OperatorCall && is_child(call, 1) && !constant) return write();
        return constant && !is_written_ ? end(Use::Read) : end(Use::Write);
    }

    const CallGraph& calls_;
    const SyntaxTree& tree_;
    NodeIndex at_;
    bool is_written_ = false;
};

}  // namespace

Use use_of(const CallGraph& calls, NodeIndex reference) { return UseFinder(calls, reference).follow(); }

}  // namespace cuda_shim
