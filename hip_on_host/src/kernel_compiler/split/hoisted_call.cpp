#include "kernel_compiler/split/hoisted_call.h"

namespace cuda_shim {
namespace {

// Beside the call: the assignment of the whole alone. Arguments of one call are evaluated in no order.
bool has_no_other_effects(const SyntaxTree& tree, NodeIndex call, Range range) {
    Range allowed = tree[call].tokens;
    NodeIndex top = call;
    for (NodeIndex at = tree[call].parent; at != kNoNode && range.holds(tree[at].tokens); at = tree[at].parent) {
        if (tree[at].tokens.empty()) break;
        if (tree[at].kind == NodeKind::Call) allowed = tree[at].tokens;
        top = at;
    }
    for (NodeIndex i = top; i < tree[top].end; ++i) {
        const SyntaxNode& node = tree[i];
        const bool changes = (node.kind == NodeKind::Binary && node.operation == "=") ||
                             node.kind == NodeKind::CompoundAssign || node.operation == "++" || node.operation == "--";
        const bool is_whole = node.tokens.begin == range.begin && node.tokens.end == range.end;
        if (changes && !is_whole && !allowed.holds(node.tokens)) return false;
    }
    return true;
}

}  // namespace

bool can_be_hoisted(const SyntaxTree& tree, NodeIndex call, Range range) {
    for (NodeIndex at = call, above = tree[at].parent; above != kNoNode; at = above, above = tree[at].parent) {
        const SyntaxNode& node = tree[above];
        if (node.tokens.empty() || !range.holds(node.tokens)) break;
        const bool first = tree.child(above, 0) == at;
        switch (node.kind) {
            case NodeKind::Binary:
                // These operators evaluate the left side first.
                if (!first && (node.operation == "&&" || node.operation == "||" || node.operation == "<<" ||
                               node.operation == ">>"))
                    return false;
                if (node.operation == ",") return false;
                break;
            case NodeKind::Conditional:
                if (!first) return false;
                break;
            case NodeKind::Lambda:
            case NodeKind::Sizeof:
            case NodeKind::InitList:
            case NodeKind::Atomic:
            case NodeKind::Other:
                return false;
            default:
                break;
        }
    }
    return has_no_other_effects(tree, call, range);
}

}  // namespace cuda_shim
