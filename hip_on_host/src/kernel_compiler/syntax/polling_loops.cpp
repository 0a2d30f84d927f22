#include "kernel_compiler/syntax/polling_loops.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// A statement that chooses the next one by the value of an expression.
bool is_branch(NodeKind kind) {
    return is_loop(kind) || kind == NodeKind::If || kind == NodeKind::Switch || kind == NodeKind::Conditional;
}

// Holds statements, so that an expression below it is evaluated for its effects.
bool holds_statements(NodeKind kind) {
    return is_loop(kind) || kind == NodeKind::Compound || kind == NodeKind::If || kind == NodeKind::Switch ||
           kind == NodeKind::Case || kind == NodeKind::Attributed || kind == NodeKind::Jump;
}

// A memory fence: memory is read again behind it, so any read there observes other threads' writes.
bool is_fence(std::string_view name) {
    return name.find("fence") != std::string_view::npos || name == "__nanosleep" || starts_with(name, "__syncwarp");
}

bool is_zero(std::string_view number) { return number.find_first_not_of("0.xuUlLf") == std::string_view::npos; }

// The parts of a choice that are evaluated for it: all but the statements that it chooses from.
std::vector<NodeIndex> condition_parts(const SyntaxTree& tree, NodeIndex branch) {
    std::vector<NodeIndex> parts = tree.children(branch);
    const SyntaxNode& node = tree[branch];
    if (node.kind == NodeKind::Conditional) return {parts.front()};
    if (node.kind == NodeKind::Do) return {parts.back()};
    if (node.kind == NodeKind::For) {
        // start, declaration in the condition, condition, step, body
        if (parts.size() == 5) return {parts[1], parts[2]};
        return parts;
    }
    const size_t substatements = node.kind == NodeKind::If && node.has_else ? 2 : 1;
    parts.resize(parts.size() - std::min(parts.size(), substatements));
    return parts;
}

}  // namespace

PollingLoops::PollingLoops(const CallGraph& calls) : calls_(calls), tree_(calls.tree()) {
    find_observing_functions();
    find_loops();
    find_polling_functions();
}

// Does the node itself read memory that other threads may write, in a way that sees their writes?
bool PollingLoops::is_observation(NodeIndex index) const {
    const SyntaxNode& node = tree_[index];
    if (tree_.is_volatile_operation(index)) return true;
    if (!node.is_call() || node.is_dependent()) return false;
    const Callee callee = calls_.callee(index);
    if (callee.name.empty()) return true;
    if (callee.definition != kNoNode) return observing_functions_.count(callee.definition) != 0;
    return is_atomic_observation(index, callee.name);
}

// Atomic reads of CUDA and of the C++ library.
bool PollingLoops::is_atomic_observation(NodeIndex call, std::string_view name) const {
    static constexpr std::array<std::string_view, 9> methods = {
        "load", "test",     "test_and_set", "exchange", "compare_exchange_weak", "compare_exchange_strong",
        "wait", "try_wait", "try_acquire"};
    const bool is_atomic_method = tree_[call].kind == NodeKind::MethodCall &&
                                  (one_of(name, methods) || (starts_with(name, "operator ") && ends_with(name, "int")));
    const bool is_memory_function = starts_with(name, "__ldcv") || starts_with(name, "__ldcg") ||
                                    starts_with(name, "__sync_") || starts_with(name, "__atomic_") ||
                                    name.find("ld_") != std::string_view::npos;
    if (is_atomic_method || is_memory_function) return true;
    if (!starts_with(name, "atomic")) return false;
    // A value that is thrown away informs the thread of nothing.
    const NodeIndex above = tree_[call].parent;
    if (above != kNoNode && holds_statements(tree_[above].kind) && !is_loop(tree_[above].kind)) return false;
    // A counter that the loop itself moves on ends it: tickets and queues of work.
    const bool is_counter = starts_with(name, "atomicAdd") || starts_with(name, "atomicSub") ||
                            starts_with(name, "atomicInc") || starts_with(name, "atomicDec");
    const std::vector<NodeIndex> parts = tree_.children(call);
    if (!is_counter || parts.size() < 3) return true;
    const NodeIndex increment = tree_.without_conversions(parts[2]);
    if (increment == kNoNode || tree_[increment].kind != NodeKind::Literal || tree_[increment].tokens.empty())
        return false;
    return is_zero(tree_.tokens().text(tree_[increment].tokens.begin));
}

// A read of memory that is not the thread's own variable.
bool PollingLoops::is_shared_read(NodeIndex index) const {
    const SyntaxNode& node = tree_[index];
    if (node.kind != NodeKind::ImplicitCast || node.operation != "LValueToRValue") return false;
    const NodeIndex operand = tree_.without_parens(tree_.child(index, 0));
    if (operand == kNoNode) return true;
    const SyntaxNode& source = tree_[operand];
    if (source.kind != NodeKind::Reference) return true;
    if (source.target_kind != NodeKind::Variable && source.target_kind != NodeKind::Parameter) return false;
    const NodeIndex declaration = tree_.declaration(source.target);
    return declaration == kNoNode || tree_[declaration].is_static || tree_.function_around(declaration) == kNoNode ||
           tree_[declaration].type.find('&') != std::string_view::npos;
}

bool PollingLoops::observes_within(NodeIndex node, bool fenced) const {
    for (NodeIndex i = node; i < tree_[node].end; ++i)
        if (is_observation(i) || (fenced && is_shared_read(i))) return true;
    return false;
}

// Fixed point: a function that observes may return the value to its caller.
void PollingLoops::find_observing_functions() {
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            if (!is_observation(i)) continue;
            const NodeIndex function = tree_.function_around(i);
            changed = (function != kNoNode && observing_functions_.insert(function).second) || changed;
        }
    }
}

// A loop ends when its condition fails, or at a jump. The expressions that decide on these are followed through the
// variables that they mention to all values assigned to those in the loop.
struct PollingLoops::Loop {
    const PollingLoops& polling;
    const SyntaxTree& tree;
    const NodeIndex loop;
    bool fenced = false, object_may_change = false;
    std::set<uint64_t> exit_variables;  // variables, by their declarations

    Loop(const PollingLoops& polling_, NodeIndex loop_) : polling(polling_), tree(polling_.tree_), loop(loop_) {
        for (NodeIndex i = loop; i < tree[loop].end; ++i) {
            if (tree[i].kind == NodeKind::Assembly) fenced = true;
            if (!tree[i].is_call() || tree[i].is_dependent()) continue;
            const Callee callee = polling.calls_.callee(i);
            fenced = fenced || is_fence(callee.name);
            // It may change an object that the loop reads through a pointer, or by a reference that was taken before.
            object_may_change = object_may_change || (!callee.of_prelude && polling.is_observation(i));
        }
    }

    // True where the part itself observes; else the variables that it mentions become exit variables.
    bool add_condition(NodeIndex part) {
        for (NodeIndex i = part; i < tree[part].end; ++i)
            if (tree[i].kind == NodeKind::Reference && tree[i].target_kind != NodeKind::Function)
                exit_variables.insert(tree[i].target);
        return polling.observes_within(part, fenced || object_may_change);
    }

    bool exits_by_observation() {
        for (NodeIndex part : condition_parts(tree, loop))
            if (add_condition(part)) return true;
        for (size_t before = static_cast<size_t>(-1); before != exit_variables.size();) {
            before = exit_variables.size();
            for (NodeIndex i = loop + 1; i < tree[loop].end; ++i) {
                if (is_branch(tree[i].kind) && affects_exit(i))
                    for (NodeIndex part : condition_parts(tree, i))
                        if (add_condition(part)) return true;
                if (changes_exit_variable(i) && add_condition(expression_around(i))) return true;
            }
        }
        return false;
    }

    // Does a part of the choice jump out of the loop or back to its start, or give a deciding variable its value?
    bool affects_exit(NodeIndex branch) const {
        for (NodeIndex i = branch; i < tree[branch].end; ++i) {
            const NodeKind kind = tree[i].kind;
            if (kind == NodeKind::Break || kind == NodeKind::Return || kind == NodeKind::Jump) return true;
            if (kind == NodeKind::Continue && tree[loop].kind != NodeKind::For) return true;
            if (changes_exit_variable(i)) return true;
        }
        return false;
    }

    // Is it a mention of a deciding variable that may be more than a read of it, or its declaration?
    bool changes_exit_variable(NodeIndex index) const {
        const SyntaxNode& node = tree[index];
        if (node.kind == NodeKind::Variable && node.id) return exit_variables.count(node.id) != 0;
        if (node.kind != NodeKind::Reference || !exit_variables.count(node.target)) return false;
        const NodeIndex above = node.parent;
        return above == kNoNode || tree[above].kind != NodeKind::ImplicitCast ||
               tree[above].operation != "LValueToRValue";
    }

    // The whole expression, or declaration, that a node is part of.
    NodeIndex expression_around(NodeIndex node) const {
        while (tree[node].parent != kNoNode && tree[node].parent >= loop &&
               !holds_statements(tree[tree[node].parent].kind))
            node = tree[node].parent;
        return node;
    }
};

bool PollingLoops::polls(NodeIndex loop) const { return Loop(*this, loop).exits_by_observation() && !is_retry(loop); }

// `do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (assumed != old);` iterates again only when
// another thread made progress.
bool PollingLoops::is_retry(NodeIndex loop) const {
    if (tree_[loop].kind != NodeKind::Do) return false;
    std::set<uint64_t> condition_variables;
    for (NodeIndex part : condition_parts(tree_, loop))
        for (NodeIndex i = part; i < tree_[part].end; ++i)
            if (tree_[i].kind == NodeKind::Reference && tree_[i].target_kind != NodeKind::Function)
                condition_variables.insert(tree_[i].target);
    if (condition_variables.size() != 2) return false;
    size_t swaps = 0, exchanges = 0, others = 0;
    for (NodeIndex i = loop; i < tree_[loop].end; ++i) {
        if (is_observation(i)) ++others;
        if (tree_[i].kind != NodeKind::Binary || tree_[i].operation != "=") continue;
        const NodeIndex to = tree_.without_conversions(tree_.child(i, 0)),
                        source = tree_.without_conversions(tree_.child(i, 1));
        if (to == kNoNode || source == kNoNode || !condition_variables.count(tree_[to].target)) continue;
        if (tree_[source].kind == NodeKind::Reference && condition_variables.count(tree_[source].target)) ++swaps;
        if (tree_[source].kind == NodeKind::Call && starts_with(calls_.callee(source).name, "atomicCAS")) ++exchanges;
    }
    return swaps == 1 && exchanges == 1 && others == 1;
}

bool PollingLoops::is_recursive(NodeIndex definition) const {
    std::set<NodeIndex> visited;
    std::vector<NodeIndex> worklist{definition};
    while (!worklist.empty()) {
        const NodeIndex function = worklist.back();
        worklist.pop_back();
        for (NodeIndex i = function; i < tree_[function].end; ++i) {
            if (!tree_[i].is_call() || tree_[i].is_dependent()) continue;
            const NodeIndex callee = calls_.callee(i).definition;
            if (callee == definition) return true;
            if (callee != kNoNode && visited.insert(callee).second) worklist.push_back(callee);
        }
    }
    return false;
}

NodeIndex PollingLoops::body(NodeIndex loop) const {
    const SyntaxNode& node = tree_[loop];
    if (node.is_function()) return tree_.body(loop);
    if (!is_loop(node.kind)) return loop;
    const std::vector<NodeIndex> parts = tree_.children(loop);
    if (parts.empty()) return kNoNode;
    return node.kind == NodeKind::Do ? parts.front() : parts.back();
}

void PollingLoops::find_loops() {
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
        if (is_loop(tree_[i].kind) && body(i) != kNoNode && polls(i)) loops_.insert(i);
        if (!tree_[i].is_function() || tree_.body(i) == kNoNode) continue;
        find_loops_of_jumps(i);
        if (observing_functions_.count(i) && is_recursive(i)) loops_.insert(i);
    }
}

// A label, and a jump back to it with an observation between them.
void PollingLoops::find_loops_of_jumps(NodeIndex function) {
    const TokenStream& tokens = tree_.tokens();
    const auto each_jump = [&](const auto& visit) {
        for (NodeIndex i = function; i < tree_[function].end; ++i)
            if (tree_[i].kind == NodeKind::Jump && !tree_[i].tokens.empty()) visit(i, tree_[i].tokens.begin);
    };
    each_jump([&](NodeIndex label, size_t name) {
        if (!tokens.is_identifier(name) || !tokens.is(name + 1, ":")) return;
        Range repeated{name, name};
        each_jump([&](NodeIndex, size_t jump) {
            // The target of a computed jump is not known.
            const bool back = tokens.is(jump + 1, tokens.text(name)) || tokens.is(jump + 1, "*");
            if (tokens.is(jump, "goto") && back) repeated.end = std::max(repeated.end, jump);
        });
        bool observes = false, reads = false, fenced = false;
        for (NodeIndex i = function; i < tree_[function].end; ++i) {
            if (tree_[i].tokens.empty() || !repeated.holds(tree_[i].tokens.begin)) continue;
            observes = observes || is_observation(i);
            reads = reads || is_shared_read(i);
            fenced = fenced || (tree_[i].is_call() && !tree_[i].is_dependent() && is_fence(calls_.callee(i).name));
        }
        if (observes || (reads && fenced)) loops_.insert(label);
    });
}

// Fixed point: the caller of a function that polls does so too.
void PollingLoops::find_polling_functions() {
    std::set<NodeIndex> polling;
    bool special_members_poll = false;  // constructors and destructors, which no node names
    const auto add = [&](NodeIndex function) {
        if (function == kNoNode || !polling.insert(function).second) return false;
        const NodeKind kind = tree_[function].kind;
        special_members_poll = special_members_poll || kind == NodeKind::Constructor || kind == NodeKind::Destructor;
        return true;
    };
    for (NodeIndex loop : loops_) add(tree_.function_around(loop));
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const bool calls =
                tree_[i].is_call() && !tree_[i].is_dependent() && polling.count(calls_.callee(i).definition);
            const bool runs_special_member = special_members_poll && (tree_[i].kind == NodeKind::Construct ||
                                                                      tree_[i].kind == NodeKind::BindTemporary ||
                                                                      tree_[i].kind == NodeKind::Variable);
            if (calls || runs_special_member) changed = add(tree_.function_around(i)) || changed;
        }
    }
    for (NodeIndex function : polling)
        if (const NodeIndex body = tree_.body(function); body != kNoNode && !tree_[body].tokens.empty())
            polling_bodies_.insert(tree_[body].tokens.begin);
}

}  // namespace cuda_shim
