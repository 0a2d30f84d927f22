#include "kernel_compiler/split/function_syntax.h"

#include <algorithm>
#include <set>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_open_template(const SyntaxTree& tree, NodeIndex function) {
    for (NodeIndex i = function; i < tree[function].end; ++i)
        if (tree[i].is_dependent()) return true;
    return false;
}

bool declares_name(NodeKind kind) {
    return kind == NodeKind::Variable || kind == NodeKind::Parameter || kind == NodeKind::Binding ||
           kind == NodeKind::TypeName || kind == NodeKind::Record || kind == NodeKind::Enumeration ||
           kind == NodeKind::Enumerator || kind == NodeKind::Function;
}

}  // namespace

FunctionSyntax::FunctionSyntax(const CallGraph& calls, size_t body_open) : calls_(calls) {
    find_instances(body_open);
    if (structure_ == kNoNode) throw NotSplit("the syntax tree has no function with its body");
    for (NodeIndex instance : instances_)
        for (NodeIndex i = instance; i < tree()[instance].end; ++i)
            if (!tree()[i].tokens.empty()) at_token_.emplace(tree()[i].tokens.begin, i);
    std::set<std::pair<size_t, std::string_view>> declarations;
    for (NodeIndex i = structure_; i < tree()[structure_].end; ++i)
        if (declares_name(tree()[i].kind) && i != structure_)
            declarations.emplace(tree()[i].name_token, tree()[i].name);
    for (const auto& [token, name] : declarations) ++declaration_counts_[name];
}

void FunctionSyntax::find_instances(size_t body_open) {
    std::vector<NodeIndex> templates;
    for (NodeIndex i = 0; i < tree().size(); ++i) {
        if (!tree()[i].is_function()) continue;
        const NodeIndex body = tree().body(i);
        if (body == kNoNode || tree()[body].tokens.empty() || tree()[body].tokens.begin != body_open) continue;
        (is_open_template(tree(), i) ? templates : instances_).push_back(i);
    }
    if (instances_.empty() && !templates.empty()) throw NotSplit("a template without an instance");
    if (instances_.empty()) return;
    structure_ = templates.empty() ? instances_.front() : templates.front();
}

bool FunctionSyntax::is_reference(NodeIndex parameter) const {
    if (ends_with(tree()[parameter].real_type(), "&")) return true;
    for (NodeIndex instance : instances_)
        for (NodeIndex child : tree().children(instance))
            if (tree()[child].kind == NodeKind::Parameter && tree()[child].name_token == tree()[parameter].name_token &&
                ends_with(tree()[child].real_type(), "&"))
                return true;
    return false;
}

std::vector<NodeIndex> FunctionSyntax::parameters() const {
    std::vector<NodeIndex> parameters;
    for (NodeIndex child : tree().children(structure_))
        if (tree()[child].kind == NodeKind::Parameter) parameters.push_back(child);
    return parameters;
}

std::vector<NodeIndex> FunctionSyntax::roots(Range range) const {
    std::vector<NodeIndex> roots;
    for (auto at = at_token_.lower_bound(range.begin); at != at_token_.end() && at->first == range.begin; ++at) {
        const SyntaxNode& node = tree()[at->second];
        if (node.tokens.end != range.end) continue;
        const Range parent_tokens = node.parent == kNoNode ? Range{} : tree()[node.parent].tokens;
        // The outermost of the nodes with the same text is meant.
        if (parent_tokens.begin == range.begin && parent_tokens.end == range.end) continue;
        roots.push_back(at->second);
    }
    return roots;
}

bool FunctionSyntax::waits(Range range) const {
    return !all_within(range, [&](NodeIndex node) { return !calls_.waits(node); });
}

std::vector<Range> FunctionSyntax::comma_parts(Range range) const {
    std::vector<Range> parts;
    if (range.empty()) return parts;
    const std::vector<NodeIndex> expressions = roots(range);
    if (expressions.empty()) return {range};
    collect_comma_parts(expressions.front(), parts);
    return parts;
}

void FunctionSyntax::collect_comma_parts(NodeIndex index, std::vector<Range>& parts) const {
    const SyntaxNode& node = tree()[index];
    if (node.kind == NodeKind::WithCleanups) return collect_comma_parts(tree().child(index, 0), parts);
    if (node.kind != NodeKind::Binary || node.operation != ",") return parts.push_back(node.tokens);
    collect_comma_parts(tree().child(index, 0), parts);
    collect_comma_parts(tree().child(index, 1), parts);
}

size_t FunctionSyntax::declarations_of(std::string_view name) const {
    const auto count = declaration_counts_.find(name);
    return count == declaration_counts_.end() ? 0 : count->second;
}

bool FunctionSyntax::names_constant(NodeIndex reference) const {
    const SyntaxNode& node = tree()[reference];
    if (node.target_kind == NodeKind::Enumerator || node.target_kind == NodeKind::TemplateParameter) return true;
    const NodeIndex declaration = tree().declaration(node.target);
    if (declaration == kNoNode || tree()[declaration].kind != NodeKind::Variable) return false;
    const SyntaxNode& variable = tree()[declaration];
    if (variable.constant) return true;
    const bool local = variable.parent != kNoNode && tree()[variable.parent].kind == NodeKind::Declare;
    return !local && variable.initialised && variable.type.substr(0, 6) == "const " &&
           variable.type.find('*') == std::string_view::npos && !variable.is_volatile();
}

size_t FunctionSyntax::variable_of(NodeIndex reference) const {
    const SyntaxNode& node = tree()[reference];
    if (node.kind != NodeKind::Reference ||
        (node.target_kind != NodeKind::Variable && node.target_kind != NodeKind::Parameter))
        return TokenStream::npos;
    const NodeIndex declaration = tree().declaration(node.target);
    return declaration == kNoNode ? TokenStream::npos : tree()[declaration].name_token;
}

}  // namespace cuda_shim
