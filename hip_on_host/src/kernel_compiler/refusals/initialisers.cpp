#include "kernel_compiler/refusals/initialisers.h"

#include <unordered_map>

#include "kernel_compiler/refusals/builtin_variables.h"
#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/refusals/declaration_words.h"
#include "kernel_compiler/refusals/declared_type.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

class InitialiserRules {
public:
    InitialiserRules(const SyntaxTree& tree, bool host_headers, RefusalReport& report)
        : tree_(tree), tokens_(tree.tokens()), host_headers_(host_headers), report_(report) {}

    void refuse() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.kind == NodeKind::Variable && !node.implicit && node.name_token != TokenStream::npos)
                judge(i, DeclarationWords(tokens_, node));
        }
    }

private:
    void judge(NodeIndex variable, const DeclarationWords& words) {
        const bool in_function = tree_.function_around(tree_[variable].parent) != kNoNode;
        if (in_function && (!words.has("static") || words.has("__shared__"))) return;
        if (!is_computed(variable) || is_within_template(tree_, variable)) return;
        std::string_view space = "__device__";
        for (std::string_view other : {"__constant__", "__managed__", "__shared__"})
            if (words.has(other)) space = other;
        report_.add(
            tree_[variable].name_token,
            concat({"dynamic initialization is not supported for a ", in_function ? "function-scope static " : "",
                    std::string(space), " variable", in_function ? " within a __device__/__global__ function" : ""}));
    }

    // Is something certainly not a constant: a call of a function that is not constexpr, the value of a variable that
    // may change, an object whose constructor or destructor does something?
    bool is_computed(NodeIndex variable) {
        const NodeIndex record = class_of(tree_[variable].real_type());
        if (record != kNoNode && destroys(record)) return true;
        for (NodeIndex i = variable + 1; i < tree_[variable].end; ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.kind == NodeKind::Sizeof || node.kind == NodeKind::TypeTrait || node.kind == NodeKind::Lambda ||
                node.kind == NodeKind::Conditional)
                i = node.end - 1;  // not evaluated, or not here
            else if (node.kind == NodeKind::Reference && (is_called_function(i) || is_builtin_variable(node)))
                return true;
            else if (node.kind == NodeKind::ImplicitCast && node.operation == "LValueToRValue" && reads_variable(i))
                return true;
            else if (node.kind == NodeKind::Construct && constructs(i))
                return true;
        }
        return false;
    }

    // The prelude's functions are not in the tree; NVRTC knows none of them to be constexpr.
    bool is_called_function(NodeIndex reference) const {
        const NodeIndex parent = tree_[reference].parent;  // the decay to a pointer
        if (parent == kNoNode || tree_[parent].kind != NodeKind::ImplicitCast || tree_[parent].parent == kNoNode ||
            !tree_[tree_[parent].parent].is_call() || tree_.child(tree_[parent].parent, 0) != parent)
            return false;
        const NodeIndex function = tree_.declaration(tree_[reference].target);
        if (function != kNoNode) return tree_[function].kind == NodeKind::Function && !tree_[function].constant;
        const std::string_view name = tree_[reference].name;
        return !host_headers_ && tree_[reference].target_kind == NodeKind::Function &&
               !starts_with(name, "__builtin_") && !starts_with(name, "cuda_shim_") && name != "move" &&
               name != "forward";
    }

    bool reads_variable(NodeIndex cast) const {
        const NodeIndex read = tree_.without_parens(tree_.child(cast, 0));
        if (read == kNoNode || tree_[read].kind != NodeKind::Reference) return false;
        const NodeIndex declaration = tree_.declaration(tree_[read].target);
        if (declaration == kNoNode) return false;
        const SyntaxNode& node = tree_[declaration];
        if (node.kind == NodeKind::Parameter) return true;
        return node.kind == NodeKind::Variable && !node.constant &&
               node.real_type().find("const") == std::string_view::npos;
    }

    // The class that the program defines under this name, of an array that of its elements.
    NodeIndex class_of(std::string_view type) {
        type = element_type(type);
        if (starts_with(type, "const ")) type.remove_prefix(6);
        if (type.empty() || type.find_first_of("<*&(") != std::string_view::npos) return kNoNode;
        const size_t scope = type.rfind("::");
        if (classes_.empty()) list_classes();
        const auto found = classes_.find(scope == std::string_view::npos ? type : type.substr(scope + 2));
        return found == classes_.end() ? kNoNode : found->second;
    }

    // By name; of several of one name, none.
    void list_classes() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.kind != NodeKind::Record || node.implicit || node.end == i + 1) continue;  // or declared only
            const auto [entry, is_new] = classes_.emplace(node.name, i);
            if (!is_new) entry->second = kNoNode;
        }
    }

    bool does_nothing(NodeIndex function) const {
        for (NodeIndex child : tree_.children(function))
            if (tree_[child].kind == NodeKind::ConstructorInitialiser || tree_[child].kind == NodeKind::Parameter)
                return false;
        const NodeIndex body = tree_.body(function);
        return body != kNoNode && tree_.children(body).empty();
    }

    bool destroys(NodeIndex record) const {
        for (NodeIndex child : tree_.children(record))
            if (tree_[child].kind == NodeKind::Destructor && !tree_[child].implicit && !tree_[child].defaulted)
                return !does_nothing(child);
        return false;
    }

    size_t parameters_of(NodeIndex function) const {
        size_t count = 0;
        for (NodeIndex child : tree_.children(function)) count += tree_[child].kind == NodeKind::Parameter;
        return count;
    }

    // Which constructor is called the tree does not say: the one with as many parameters, if there is one such.
    bool constructs(NodeIndex construction) {
        const NodeIndex record = class_of(tree_[construction].real_type());
        if (record == kNoNode) return false;
        NodeIndex called = kNoNode;
        bool has_virtual = false;
        for (NodeIndex child : tree_.children(record)) {
            const SyntaxNode& member = tree_[child];
            has_virtual = has_virtual || member.is_virtual;
            if (member.kind != NodeKind::Constructor || member.implicit || member.deleted) continue;
            if (parameters_of(child) != tree_.children(construction).size()) continue;
            if (called != kNoNode) return false;
            called = child;
        }
        if (has_virtual) return true;
        return called != kNoNode && !tree_[called].constant && !tree_[called].defaulted && !does_nothing(called);
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    const bool host_headers_;
    RefusalReport& report_;
    std::unordered_map<std::string_view, NodeIndex> classes_;
};

}  // namespace

void refuse_computed_initialisers(const SyntaxTree& tree, bool host_headers, RefusalReport& report) {
    InitialiserRules(tree, host_headers, report).refuse();
}

}  // namespace cuda_shim
