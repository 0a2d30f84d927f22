#include "kernel_compiler/syntax/call_graph.h"

#include "kernel_compiler/analyse/function_facts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

template <class Set>
bool any_within(const Set& nodes, NodeIndex begin, NodeIndex end) {
    const auto first = nodes.lower_bound(begin);
    return first != nodes.end() && *first < end;
}

}  // namespace

CallGraph::CallGraph(const SyntaxTree& tree) : tree_(tree) {
    find_open_calls();
    find_waiting_calls();
    find_polling_functions();
    self_referential_types_ = SelfReferentialTypes(*this);
}

// True if the program's own text declares it, and the prelude did not before. The compiler's own functions are declared
// where a program first names them, under names that no program may give.
bool CallGraph::is_programs_own(uint64_t id) const {
    const NodeIndex first = tree_.declaration(id);
    if (first != kNoNode && starts_with(tree_[first].name, "__builtin_")) return false;
    for (NodeIndex at = tree_.declaration(id); at != kNoNode; at = tree_.declaration(tree_[at].redeclares))
        if (!tree_[at].redeclares) return true;
    return false;
}

Callee CallGraph::callee(NodeIndex call) const {
    Callee callee;
    const NodeIndex at = tree_.without_conversions(tree_.child(call, 0));
    if (at == kNoNode) return callee;
    const SyntaxNode& node = tree_[at];
    const bool names_function = node.kind == NodeKind::Reference &&
                                (node.target_kind == NodeKind::Function || node.target_kind == NodeKind::Method ||
                                 node.target_kind == NodeKind::Conversion);
    const bool names_method = node.kind == NodeKind::Member && tree_[call].kind == NodeKind::MethodCall;
    if (!names_function && !names_method) return callee;
    const NodeIndex declaration = tree_.declaration(node.target);
    if (declaration != kNoNode && tree_[declaration].is_virtual) return callee;
    // A method that the tree does not hold is one of the prelude's classes.
    if (names_method && declaration != kNoNode && !tree_[declaration].is_function()) return callee;
    callee.definition = tree_.definition(node.target);
    callee.of_prelude = callee.definition == kNoNode && !is_programs_own(node.target);
    // A function that is only declared is another program's.
    if (callee.definition != kNoNode || callee.of_prelude) callee.name = node.name;
    return callee;
}

// Fixed point: calls of functions that make such calls are open too.
void CallGraph::find_open_calls() {
    std::set<NodeIndex> open_functions;
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            if (!tree_[i].is_call() || tree_[i].is_dependent() || open_.count(i)) continue;
            const Callee target = callee(i);
            if (!target.name.empty() && !open_functions.count(target.definition)) continue;
            changed = true;
            open_.insert(i);
            open_functions.insert(tree_.function_around(i));
        }
        open_functions.erase(kNoNode);
    }
}

bool CallGraph::runs_special_member(const SyntaxNode& node) const {
    return node.kind == NodeKind::Construct || node.kind == NodeKind::BindTemporary ||
           node.kind == NodeKind::Variable || node.kind == NodeKind::Other;
}

// Fixed point: a call waits if its callee does. A template's calls that are still open wait if their word does.
void CallGraph::find_waiting_calls() {
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            if (waiting_.count(i)) continue;
            const SyntaxNode& node = tree_[i];
            bool waits = special_members_wait_ && runs_special_member(node);
            if (node.is_call() && !node.is_dependent()) {
                const Callee target = callee(i);
                waits = waits || (target.of_prelude && is_synchronising_word(target.name)) ||
                        (target.definition != kNoNode && waiting_functions_.count(target.definition));
            } else if (node.kind == NodeKind::Dependent) {
                waits = waits || is_synchronising_word(node.name);
            } else if (node.kind == NodeKind::Reference && node.target_kind == NodeKind::Function) {
                // Its address may be called from anywhere, by anything that knows how.
                waits = waits || (tree_.definition(node.target) == kNoNode && is_synchronising_word(node.name));
            }
            if (!waits) continue;
            changed = true;
            waiting_.insert(i);
            const NodeIndex function = tree_.function_around(i);
            if (function == kNoNode) continue;
            waiting_functions_.insert(function);
            const NodeKind kind = tree_[function].kind;
            special_members_wait_ =
                special_members_wait_ || kind == NodeKind::Constructor || kind == NodeKind::Destructor;
        }
    }
}

bool CallGraph::may_poll(NodeIndex index) const {
    const SyntaxNode& node = tree_[index];
    if (tree_.is_volatile_operation(index)) return true;
    if (!node.is_call() || node.is_dependent()) return false;
    const Callee target = callee(index);
    if (target.name.empty()) return true;
    if (target.definition != kNoNode) return polling_functions_.count(target.definition) != 0;
    return starts_with(target.name, "atomic") || starts_with(target.name, "__nv_atomic") ||
           starts_with(target.name, "__nanosleep") || starts_with(target.name, "__threadfence") ||
           target.name.find("ld_") != std::string_view::npos;
}

void CallGraph::find_polling_functions() {
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            if (!may_poll(i)) continue;
            const NodeIndex function = tree_.function_around(i);
            changed = (function != kNoNode && polling_functions_.insert(function).second) || changed;
        }
    }
}

bool CallGraph::waits_within(NodeIndex node) const { return any_within(waiting_, node, tree_[node].end); }
bool CallGraph::is_open_within(NodeIndex node) const { return any_within(open_, node, tree_[node].end); }

bool is_synchronising_word(std::string_view word) { return one_of_sorted(word, kWaitingNames); }

}  // namespace cuda_shim
