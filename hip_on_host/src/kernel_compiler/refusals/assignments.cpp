#include "kernel_compiler/refusals/assignments.h"

#include "kernel_compiler/refusals/builtin_variables.h"
#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/refusals/declaration_words.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr char kNotModifiable[] = "expression must be a modifiable lvalue";

class AssignmentRules {
public:
    AssignmentRules(const SyntaxTree& tree, RefusalReport& report)
        : tree_(tree), tokens_(tree.tokens()), report_(report) {}

    void refuse() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            const bool writes = node.kind == NodeKind::CompoundAssign ||
                                (node.kind == NodeKind::Binary && node.operation == "=") ||
                                (node.kind == NodeKind::Unary && (node.operation == "++" || node.operation == "--"));
            if (writes)
                judge_write(tree_.child(i, 0));
            else if (node.kind == NodeKind::OperatorCall && is_assignment(tree_.child(i, 0)))
                judge_write(tree_.child(i, 1));
            else if (node.kind == NodeKind::Unary && node.operation == "&")
                judge_address(tree_.child(i, 0));
            else if (node.kind == NodeKind::Variable)
                judge_reference(i);
        }
    }

private:
    bool is_assignment(NodeIndex callee) const {
        const NodeIndex named = callee == kNoNode ? kNoNode : tree_.without_conversions(callee);
        return named != kNoNode && tree_[named].name == "operator=";
    }

    // The variable that an object is part of, without going through a pointer.
    NodeIndex base(NodeIndex object) const {
        while (object != kNoNode) {
            object = tree_.without_parens(object);
            if (object == kNoNode || tree_[object].kind == NodeKind::Reference) return object;
            if (tree_[object].kind != NodeKind::Member || tree_[object].arrow) return kNoNode;
            object = tree_.child(object, 0);
        }
        return kNoNode;
    }

    void add(NodeIndex node, const std::string& words) {
        if (!tree_[node].tokens.empty() && !is_within_template(tree_, node))
            report_.add(tree_[node].tokens.begin, words);
    }

    void judge_write(NodeIndex target) {
        const NodeIndex variable = base(target);
        if (variable == kNoNode) return;
        const bool whole = tree_.without_parens(target) == variable;
        if (is_builtin_variable(tree_[variable]) || (whole && is_in_constant_memory(variable)))
            add(variable, kNotModifiable);
    }

    // NVRTC only warns where a program writes an element or a member of a variable in constant memory.
    bool is_in_constant_memory(NodeIndex reference) const {
        const NodeIndex declaration = tree_.declaration(tree_[reference].target);
        if (declaration == kNoNode || tree_[declaration].kind != NodeKind::Variable ||
            tree_[declaration].name_token == TokenStream::npos)
            return false;
        return DeclarationWords(tokens_, tree_[declaration]).has("__constant__");
    }

    void judge_address(NodeIndex object) {
        const NodeIndex variable = base(object);
        if (variable == kNoNode || !is_builtin_variable(tree_[variable])) return;
        add(variable, concat({"cannot take address of builtin variable \"",
                              std::string(builtin_variable(tree_[variable])), "\""}));
    }

    // `uint3& index = threadIdx;`
    void judge_reference(NodeIndex variable) {
        const std::string_view type = tree_[variable].real_type();
        if (!ends_with(type, " &") || starts_with(type, "const ") || tree_[variable].name_token == TokenStream::npos)
            return;
        if (DeclarationWords(tokens_, tree_[variable]).has("auto")) return;  // which is constant, too
        for (NodeIndex child : tree_.children(variable)) {
            const NodeIndex named = base(child);
            if (named != kNoNode && is_builtin_variable(tree_[named]))
                add(named, concat({"qualifiers dropped in binding reference of type \"", std::string(type),
                                   "\" to initializer of type \"const uint3\""}));
        }
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    RefusalReport& report_;
};

}  // namespace

void refuse_wrong_assignments(const SyntaxTree& tree, RefusalReport& report) { AssignmentRules(tree, report).refuse(); }

}  // namespace cuda_shim
