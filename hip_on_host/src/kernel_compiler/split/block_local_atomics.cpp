#include "kernel_compiler/split/block_local_atomics.h"

#include <array>
#include <map>

#include "kernel_compiler/analyse/function_facts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

class BlockLocalAtomics {
public:
    explicit BlockLocalAtomics(const KernelBody& body) : body_(body), tree_(body.tree()) {}

    std::set<size_t> find() {
        for (NodeIndex function : body_.syntax().instances())
            for (NodeIndex i = function; i < tree_[function].end; ++i)
                if (tree_[i].kind == NodeKind::Call) judge(i);
        std::set<size_t> tokens;
        for (const auto& [token, is_block_local] : verdicts_)
            if (is_block_local) tokens.insert(token);
        return tokens;
    }

private:
    // In every instance of a template it has to be so.
    void judge(NodeIndex call) {
        const NodeIndex function = tree_.without_conversions(tree_.child(call, 0));
        const Range tokens = tree_[function].tokens;
        if (tree_[function].kind != NodeKind::Reference || tokens.end != tokens.begin + 1) return;
        const Callee callee = body_.syntax().calls().callee(call);
        const std::vector<NodeIndex> parts = tree_.children(call);
        const bool is_block_local = callee.of_prelude && body_.tokens().is(tokens.begin, callee.name) &&
                                    parts.size() > 1 && is_plain_operation(callee.name, tree_[function].real_type()) &&
                                    is_block_local_address(parts[1]);
        const auto verdict = verdicts_.emplace(tokens.begin, is_block_local).first;
        verdict->second = verdict->second && is_block_local;
    }

    // By the type of the function, "int (int *, int)", with the typedefs of its arguments resolved.
    static bool is_plain_operation(std::string_view name, std::string_view function) {
        const std::string_view type = function.substr(0, function.find(" ("));
        static constexpr std::array<std::string_view, 4> integer_types = {"int", "unsigned int", "unsigned long long",
                                                                          "long long"};
        static constexpr std::array<std::string_view, 2> float_types = {"float", "double"};
        if (one_of(type, float_types)) return name == "atomicAdd";
        return one_of(type, integer_types) && one_of_sorted(name, kBlockLocalAtomics);
    }

    bool is_block_local_address(NodeIndex node) const {
        node = tree_.without_parens(node);
        const SyntaxNode& expression = tree_[node];
        if (expression.kind == NodeKind::Unary && expression.operation == "&")
            return is_block_local_place(tree_.child(node, 0));
        if (expression.kind == NodeKind::Binary && expression.operation == "+")
            return is_block_local_address(tree_.child(node, 0)) || is_block_local_address(tree_.child(node, 1));
        if (expression.kind != NodeKind::ImplicitCast) return false;
        if (expression.operation == "ArrayToPointerDecay") return is_block_local_place(tree_.child(node, 0));
        if (expression.operation == "NoOp") return is_block_local_address(tree_.child(node, 0));
        return expression.operation == "LValueToRValue" &&
               is_dynamic_memory(tree_.without_parens(tree_.child(node, 0)));
    }
    bool is_block_local_place(NodeIndex node) const {
        node = tree_.without_parens(node);
        const SyntaxNode& expression = tree_[node];
        if (expression.kind == NodeKind::Subscript)
            return is_block_local_address(tree_.child(node, 0)) || is_block_local_address(tree_.child(node, 1));
        if (expression.kind == NodeKind::Member) return !expression.arrow && is_block_local_place(tree_.child(node, 0));
        if (expression.kind != NodeKind::Reference) return false;
        const NodeIndex declaration = tree_.declaration(expression.target);
        return declaration != kNoNode && tree_[declaration].is_thread_local && body_.variable_of(node) != nullptr &&
               tree_[declaration].real_type().find('&') == std::string_view::npos;
    }
    // `T* const name = (T*)cuda_shim_dynamic_shared()`, which dynamic_shared.cpp has written.
    bool is_dynamic_memory(NodeIndex node) const {
        if (tree_[node].kind != NodeKind::Reference) return false;
        const Variable* variable = body_.variable_of(node);
        if (!variable || !variable->declarator || !variable->is_constant()) return false;
        const std::vector<NodeIndex> roots = body_.syntax().roots(variable->initial());
        for (NodeIndex root : roots) {
            const NodeIndex call = tree_.without_conversions(tree_.child(root, 0));
            if (tree_[root].kind != NodeKind::ValueCast || tree_[call].kind != NodeKind::Call) return false;
            const Callee callee = body_.syntax().calls().callee(call);
            if (!callee.of_prelude || callee.name != "cuda_shim_dynamic_shared") return false;
        }
        return !roots.empty();
    }

    const KernelBody& body_;
    const SyntaxTree& tree_;
    std::map<size_t, bool> verdicts_;
};

}  // namespace

std::set<size_t> find_block_local_atomics(const KernelBody& body) { return BlockLocalAtomics(body).find(); }

}  // namespace cuda_shim
