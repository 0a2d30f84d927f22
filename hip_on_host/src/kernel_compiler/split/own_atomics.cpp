#include "kernel_compiler/split/own_atomics.h"

#include <array>
#include <map>

#include "kernel_compiler/words.h"

namespace cuda_shim {
namespace {

class OwnAtomics {
public:
    explicit OwnAtomics(const KernelBody& body) : body_(body), tree_(body.tree()) {}

    std::set<size_t> find() {
        for (NodeIndex function : body_.syntax().instances())
            for (NodeIndex i = function; i < tree_[function].end; ++i)
                if (tree_[i].kind == NodeKind::Call) judge(i);
        std::set<size_t> own;
        for (const auto& [token, all] : judged_)
            if (all) own.insert(token);
        return own;
    }

private:
    // In every instance of a template it has to be so.
    void judge(NodeIndex call) {
        const NodeIndex named = tree_.without_conversions(tree_.child(call, 0));
        const Range tokens = tree_[named].tokens;
        if (tree_[named].kind != NodeKind::Reference || tokens.end != tokens.begin + 1) return;
        const Callee called = body_.syntax().calls().callee(call);
        const std::vector<NodeIndex> parts = tree_.children(call);
        const bool own = called.of_prelude && body_.tokens().is(tokens.begin, called.name) && parts.size() > 1 &&
                         is_known(called.name, tree_[named].real_type()) && is_own_address(parts[1]);
        const auto found = judged_.emplace(tokens.begin, own).first;
        found->second = found->second && own;
    }

    // By the type of the function, "int (int *, int)", with the typedefs of its arguments resolved.
    static bool is_known(std::string_view name, std::string_view function) {
        const std::string_view type = function.substr(0, function.find(" ("));
        static constexpr std::array<std::string_view, 4> whole = {"int", "unsigned int", "unsigned long long",
                                                                  "long long"};
        static constexpr std::array<std::string_view, 2> broken = {"float", "double"};
        static constexpr std::array<std::string_view, 9> operations = {"atomicAdd", "atomicSub", "atomicExch",
                                                                       "atomicMin", "atomicMax", "atomicAnd",
                                                                       "atomicOr",  "atomicXor", "atomicCAS"};
        if (one_of(type, broken)) return name == "atomicAdd";
        return one_of(type, whole) && one_of(name, operations);
    }

    bool is_own_address(NodeIndex node) const {
        node = tree_.without_parens(node);
        const SyntaxNode& about = tree_[node];
        if (about.kind == NodeKind::Unary && about.operation == "&") return is_own_place(tree_.child(node, 0));
        if (about.kind == NodeKind::Binary && about.operation == "+")
            return is_own_address(tree_.child(node, 0)) || is_own_address(tree_.child(node, 1));
        if (about.kind != NodeKind::ImplicitCast) return false;
        if (about.operation == "ArrayToPointerDecay") return is_own_place(tree_.child(node, 0));
        if (about.operation == "NoOp") return is_own_address(tree_.child(node, 0));
        return about.operation == "LValueToRValue" && is_dynamic_memory(tree_.without_parens(tree_.child(node, 0)));
    }
    bool is_own_place(NodeIndex node) const {
        node = tree_.without_parens(node);
        const SyntaxNode& about = tree_[node];
        if (about.kind == NodeKind::Subscript)
            return is_own_address(tree_.child(node, 0)) || is_own_address(tree_.child(node, 1));
        if (about.kind == NodeKind::Member) return !about.arrow && is_own_place(tree_.child(node, 0));
        if (about.kind != NodeKind::Reference) return false;
        const NodeIndex declared = tree_.declaration(about.target);
        return declared != kNoNode && tree_[declared].is_thread_local && body_.variable_of(node) != nullptr &&
               tree_[declared].real_type().find('&') == std::string_view::npos;
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
            const Callee called = body_.syntax().calls().callee(call);
            if (!called.of_prelude || called.name != "cuda_shim_dynamic_shared") return false;
        }
        return !roots.empty();
    }

    const KernelBody& body_;
    const SyntaxTree& tree_;
    std::map<size_t, bool> judged_;
};

}  // namespace

std::set<size_t> find_own_atomics(const KernelBody& body) { return OwnAtomics(body).find(); }

}  // namespace cuda_shim
