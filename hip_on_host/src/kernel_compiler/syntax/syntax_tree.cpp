#include "kernel_compiler/syntax/syntax_tree.h"

#include <algorithm>

#include "kernel_compiler/syntax/syntax_reader.h"

namespace cuda_shim {
namespace {

constexpr size_t kBlockBytes = 1 << 16;

}  // namespace

bool SyntaxNode::is_dependent() const {
    return kind == NodeKind::Dependent || type.find("dependent type>") != std::string_view::npos ||
           type == "<overloaded function type>";
}

SyntaxTree::SyntaxTree(JsonReader& json, const TokenStream& tokens, std::string main_file)
    : tokens_(tokens), main_file_(std::move(main_file)) {
    SyntaxReader(*this, json).read();
    index_declarations();
}

std::string_view SyntaxTree::intern(std::string_view text) {
    const auto existing = texts_.find(text);
    if (existing != texts_.end()) return *existing;
    if (text.size() > block_room_) {
        block_room_ = std::max(text.size(), kBlockBytes);
        blocks_.push_back(std::make_unique<char[]>(block_room_));
        block_bytes_ = block_room_;
    }
    char* const place = blocks_.back().get() + (block_bytes_ - block_room_);
    std::copy(text.begin(), text.end(), place);
    block_room_ -= text.size();
    return *texts_.emplace(place, text.size()).first;
}

std::vector<NodeIndex> SyntaxTree::children(NodeIndex index) const {
    std::vector<NodeIndex> result;
    for (NodeIndex child = index + 1; child < nodes_[index].end; child = nodes_[child].end) result.push_back(child);
    return result;
}

NodeIndex SyntaxTree::child(NodeIndex index, size_t number) const {
    NodeIndex child = index + 1;
    for (; number > 0 && child < nodes_[index].end; --number) child = nodes_[child].end;
    return child < nodes_[index].end ? child : kNoNode;
}

NodeIndex SyntaxTree::without_parens(NodeIndex index) const {
    while (index != kNoNode) {
        const SyntaxNode& node = nodes_[index];
        const bool is_wrapper = node.kind == NodeKind::Paren || node.kind == NodeKind::WithCleanups ||
                                node.kind == NodeKind::Constant || node.kind == NodeKind::SubstitutedParameter ||
                                (node.kind == NodeKind::ImplicitCast && node.operation == "NoOp");
        if (!is_wrapper) return index;
        // The substitute for a template's parameter comes behind that parameter.
        NodeIndex inner = kNoNode;
        for (NodeIndex child : children(index))
            if (nodes_[child].kind != NodeKind::TemplateParameter) inner = child;
        if (inner == kNoNode) return index;
        index = inner;
    }
    return index;
}

NodeIndex SyntaxTree::without_conversions(NodeIndex index) const {
    while (index != kNoNode && (nodes_[index].kind == NodeKind::ImplicitCast || nodes_[index].kind == NodeKind::Paren))
        index = child(index, 0);
    return index;
}

bool SyntaxTree::is_volatile_operation(NodeIndex index) const {
    const SyntaxNode& node = nodes_[index];
    if (node.kind == NodeKind::Assembly || node.kind == NodeKind::Atomic) return true;
    if (node.kind != NodeKind::ImplicitCast || node.operation != "LValueToRValue") return false;
    const NodeIndex operand = child(index, 0);
    return operand != kNoNode && nodes_[operand].is_volatile();
}

NodeIndex SyntaxTree::function_around(NodeIndex node) const {
    while (node != kNoNode && !nodes_[node].is_function()) node = nodes_[node].parent;
    return node;
}

void SyntaxTree::index_declarations() {
    for (NodeIndex i = 0; i < size(); ++i)
        if (nodes_[i].id) declarations_.emplace(nodes_[i].id, i);
    for (NodeIndex i = 0; i < size(); ++i)
        if (nodes_[i].is_function() && body(i) != kNoNode) definitions_.emplace(first_declaration(nodes_[i].id), i);
}

uint64_t SyntaxTree::first_declaration(uint64_t id) const {
    for (NodeIndex at = declaration(id); at != kNoNode && nodes_[at].redeclares; at = declaration(id))
        id = nodes_[at].redeclares;
    return id;
}

NodeIndex SyntaxTree::declaration(uint64_t id) const {
    const auto entry = declarations_.find(id);
    return entry == declarations_.end() ? kNoNode : entry->second;
}

NodeIndex SyntaxTree::definition(uint64_t id) const {
    const auto entry = definitions_.find(first_declaration(id));
    return entry == definitions_.end() ? kNoNode : entry->second;
}

NodeIndex SyntaxTree::body(NodeIndex function) const {
    for (NodeIndex child : children(function))
        if (nodes_[child].kind == NodeKind::Compound) return child;
    return kNoNode;
}

}  // namespace cuda_shim
