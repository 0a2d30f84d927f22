#include "kernel_compiler/syntax/self_referential_types.h"

#include <cctype>

#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/syntax/variable_use.h"

namespace cuda_shim {
namespace {

NodeIndex class_around(const SyntaxTree& tree, NodeIndex node) {
    while (node != kNoNode && tree[node].kind != NodeKind::Record) node = tree[node].parent;
    return node;
}

// Does the object stay unknown to others? `this->member` that is read or assigned, and nothing else.
bool is_own_business(const CallGraph& calls, NodeIndex this_node) {
    const SyntaxTree& tree = calls.tree();
    NodeIndex at = this_node, above = tree[at].parent;
    while (above != kNoNode && (tree[above].kind == NodeKind::ImplicitCast || tree[above].kind == NodeKind::Paren))
        at = above, above = tree[at].parent;
    if (above == kNoNode || tree[above].kind != NodeKind::Member || tree.child(above, 0) != at) return false;
    const NodeIndex user = tree[above].parent;
    if (user == kNoNode || tree[user].kind == NodeKind::MethodCall) return false;
    return use_of(calls, above) != Use::Escape;
}

// Pointers and references to objects hold none.
bool holds_objects(std::string_view type) {
    for (std::string_view word : {"const", "volatile", "__restrict", " "})
        while (ends_with(type, word)) type.remove_suffix(word.size());
    return !ends_with(type, "*") && !ends_with(type, "&");
}

bool is_name_character(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }

}  // namespace

SelfReferentialTypes::SelfReferentialTypes(const CallGraph& calls) {
    find_constructors(calls);
    if (!classes_.empty() || unnamed_) find_holders(calls.tree());
}

// Constructors, and first values of members: `this` in a class, but in none of its other functions.
void SelfReferentialTypes::find_constructors(const CallGraph& calls) {
    const SyntaxTree& tree = calls.tree();
    for (NodeIndex i = 0; i < tree.size(); ++i) {
        if (tree[i].kind != NodeKind::This) continue;
        const NodeIndex function = tree.function_around(i);
        const NodeIndex owner = class_around(tree, i);
        const bool first_value = owner != kNoNode && (function == kNoNode || owner > function);
        const bool constructs = function != kNoNode && tree[function].kind == NodeKind::Constructor;
        if ((!first_value && !constructs) || is_own_business(calls, i)) continue;
        if (owner == kNoNode) {  // a constructor that is defined outside of its class
            const std::string_view name = tree[function].name;
            if (!name.empty()) classes_.insert(name.substr(0, name.find('<')));
        } else if (tree[owner].name.empty()) {
            unnamed_ = true;
        } else {
            classes_.insert(tree[owner].name);
        }
    }
}

// Fixed point: classes with such members or bases, and other names of such types.
void SelfReferentialTypes::find_holders(const SyntaxTree& tree) {
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeIndex i = 0; i < tree.size(); ++i) {
            const SyntaxNode& node = tree[i];
            const bool part = node.kind == NodeKind::Field || node.kind == NodeKind::Base;
            if ((!part && node.kind != NodeKind::TypeName) || !contains(node.real_type())) continue;
            const NodeIndex owner = part ? class_around(tree, i) : i;
            if (owner == kNoNode) continue;
            if (!tree[owner].name.empty())
                changed = classes_.insert(tree[owner].name).second || changed;
            else
                changed = changed || !unnamed_, unnamed_ = true;
        }
    }
}

bool SelfReferentialTypes::contains(std::string_view type) const {
    if ((classes_.empty() && !unnamed_) || !holds_objects(type)) return false;
    if (unnamed_ &&
        (type.find("(unnamed") != std::string_view::npos || type.find("(anonymous") != std::string_view::npos))
        return true;
    for (size_t begin = 0; begin < type.size();) {
        size_t end = begin;
        while (end < type.size() && is_name_character(type[end])) ++end;
        if (classes_.count(type.substr(begin, end - begin))) return true;
        begin = end + 1;
    }
    return false;
}

}  // namespace cuda_shim
