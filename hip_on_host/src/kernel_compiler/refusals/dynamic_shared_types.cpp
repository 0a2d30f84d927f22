#include "kernel_compiler/refusals/dynamic_shared_types.h"

#include <map>

#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// The variables are pointers by now (dynamic_shared.h).
bool is_dynamic_shared(const SyntaxTree& tree, NodeIndex variable) {
    for (NodeIndex i = variable + 1; i < tree[variable].end; ++i)
        if (tree[i].kind == NodeKind::Reference && tree[i].name == "cuda_shim_dynamic_shared") return true;
    return false;
}

// The names of the namespaces around it.
std::string scope(const SyntaxTree& tree, NodeIndex node) {
    std::string names;
    for (node = tree[node].parent; node != kNoNode; node = tree[node].parent)
        if (tree[node].kind == NodeKind::Namespace) append(names, {tree[node].name, "::"});
    return names;
}

}  // namespace

void refuse_dynamic_shared_types(const SyntaxTree& tree, RefusalReport& report) {
    std::map<std::pair<std::string, std::string_view>, NodeIndex> first;  // by scope and name
    for (NodeIndex i = 0; i < tree.size(); ++i) {
        const SyntaxNode& node = tree[i];
        if (node.kind != NodeKind::Variable || node.name_token == TokenStream::npos || node.is_dependent()) continue;
        if (is_within_template(tree, i) || !is_dynamic_shared(tree, i)) continue;
        const auto [before, is_new] = first.emplace(std::make_pair(scope(tree, i), node.name), i);
        if (is_new || tree[before->second].real_type() == node.real_type()) continue;
        const std::string line = report.place(tree[before->second].name_token);
        report.add(node.name_token, concat({"declaration is incompatible with previous \"", std::string(node.name),
                                            "\" (declared at line ", line, ")"}));
    }
}

}  // namespace cuda_shim
