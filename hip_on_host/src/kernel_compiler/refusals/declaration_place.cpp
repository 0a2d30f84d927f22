#include "kernel_compiler/refusals/declaration_place.h"

namespace cuda_shim {
namespace {

NodeKind kind_of_parent(const SyntaxTree& tree, NodeIndex node) {
    return tree[node].parent == kNoNode ? NodeKind::Absent : tree[tree[node].parent].kind;
}

}  // namespace

bool is_within(const SyntaxTree& tree, NodeIndex node, NodeKind kind) {
    for (node = tree[node].parent; node != kNoNode; node = tree[node].parent)
        if (tree[node].kind == kind) return true;
    return false;
}

bool has_template_arguments(const SyntaxTree& tree, NodeIndex declaration) {
    for (NodeIndex child : tree.children(declaration))
        if (tree[child].kind == NodeKind::TemplateArgument) return true;
    return false;
}

bool is_function_template(const SyntaxTree& tree, NodeIndex function) {
    return kind_of_parent(tree, function) == NodeKind::FunctionTemplate && !has_template_arguments(tree, function);
}

bool is_within_template(const SyntaxTree& tree, NodeIndex node) {
    for (; node != kNoNode; node = tree[node].parent) {
        if (tree[node].is_function() && is_function_template(tree, node)) return true;
        if (tree[node].kind == NodeKind::Record && kind_of_parent(tree, node) == NodeKind::ClassTemplate &&
            !has_template_arguments(tree, node))
            return true;
    }
    return false;
}

NodeIndex function_declared_before(const SyntaxTree& tree, NodeIndex function) {
    if (tree[function].redeclares) return tree.declaration(tree[function].redeclares);
    const NodeIndex parent = tree[function].parent;
    if (kind_of_parent(tree, function) != NodeKind::FunctionTemplate || !tree[parent].redeclares) return kNoNode;
    const NodeIndex before = tree.declaration(tree[parent].redeclares);
    if (before == kNoNode) return kNoNode;
    for (NodeIndex child : tree.children(before))
        if (tree[child].is_function()) return child;
    return kNoNode;
}

}  // namespace cuda_shim
