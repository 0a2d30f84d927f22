#include "kernel_compiler/split/block_fusion.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/split/divergent_loops.h"
#include "kernel_compiler/split/kernel_body.h"
#include "kernel_compiler/split/uniformity.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Blocks that take turns would share variables declared __shared__: here, in a device function, or for the whole
// program.
bool may_share_memory(const KernelBody& body) {
    const TokenStream& tokens = body.unit().tokens();
    const auto in_other_kernel = [&](size_t token) {
        const auto& functions = body.unit().functions();
        return std::any_of(functions.begin(), functions.end(), [&](const FunctionDeclaration& function) {
            const bool other = function.kernel && function.body_open != body.kernel().body_open;
            return other && token > function.body_open && token < function.body_close;
        });
    };
    for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens.is(i, "__shared__") && !in_other_kernel(i)) return true;
    return false;
}

bool names_block(const KernelBody& body, Range range) {
    return !body.syntax().all_within(range,
                                     [&](NodeIndex node) { return body.tree()[node].name != "cuda_shim_block_index"; });
}

// True if the declared values are those of the whole launch, or every thread computes them again.
bool is_launch_uniform(const Statement& declare, const KernelBody& body, const Uniformity& uniformity) {
    if (declare.declaration->kind == Declaration::Verbatim) return !names_block(body, declare.range);
    for (const Declarator& declarator : declare.declaration->declarators) {
        const Variable& variable = body.variables()[static_cast<size_t>(declarator.variable)];
        if (variable.recomputed) continue;
        if (variable.varying || variable.is_array() || variable.is_reference() || !variable.writes.empty())
            return false;
        if (declarator.initialiser != Declarator::Assigned || !uniformity.is_recomputable(declarator.initial))
            return false;
        if (names_block(body, declarator.initial)) return false;
    }
    return true;
}

// Does every element that the loop accesses move with the loop's variable?
class MovingAccesses {
public:
    MovingAccesses(const KernelBody& body, const Variable& counter)
        : body_(body), tree_(body.tree()), counter_(counter) {}

    bool all(Range range) const {
        return body_.syntax().all_within(range, [&](NodeIndex node) {
            const SyntaxNode& part = tree_[node];
            if (part.kind == NodeKind::Subscript) return names_counter(tree_.child(node, 1));
            const bool unknown_place = (part.kind == NodeKind::Unary && part.operation == "*") || part.arrow ||
                                       (part.is_call() && body_.syntax().calls().callee(node).definition != kNoNode);
            return !unknown_place;
        });
    }

private:
    bool names_counter(NodeIndex expression) const {
        for (NodeIndex i = expression; i < tree_[expression].end; ++i) {
            const Variable* variable = tree_[i].kind == NodeKind::Reference ? body_.variable_of(i) : nullptr;
            if (variable == &counter_) return true;
            if (!variable || variable->kind != Variable::Local) continue;
            for (NodeIndex root : body_.syntax().roots(variable->initial()))
                if (names_counter(root)) return true;
        }
        return false;
    }

    const KernelBody& body_;
    const SyntaxTree& tree_;
    const Variable& counter_;
};

// A loop whose iterations are those of the whole launch, and access memory that moves on with them.
bool is_moving_loop(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    if (!loop.declaration || loop.declaration->declarators.size() != 1 || runs_under_lane_mask(loop, body, uniformity))
        return false;
    const Declarator& declarator = loop.declaration->declarators[0];
    if (declarator.variable < 0 || !uniformity.has_uniform_trip_count(loop)) return false;
    for (const Range& header : {loop.init, loop.condition, loop.step})
        if (body.syntax().waits(header) || names_block(body, header)) return false;
    const Variable& counter = body.variables()[static_cast<size_t>(declarator.variable)];
    return MovingAccesses(body, counter).all(loop.children[0]->range);
}

}  // namespace

BlockFusion choose_block_fusion(const KernelBody& body, const Uniformity& uniformity,
                                const std::map<const Statement*, StridedLoop>& strided) {
    const auto& variables = body.variables();
    if (may_share_memory(body)) return BlockFusion::None;
    if (std::any_of(variables.begin(), variables.end(), [](const Variable& variable) { return variable.per_thread; }))
        return BlockFusion::None;
    BlockFusion fusion = BlockFusion::None;
    for (const auto& statement : body.root().children) {
        switch (statement->kind) {
            case Statement::Empty:
                break;
            case Statement::Declare:
                if (!is_launch_uniform(*statement, body, uniformity)) return BlockFusion::None;
                break;
            case Statement::If:
                if (!uniformity.is_guard(*statement)) return BlockFusion::None;
                break;
            case Statement::For:
                if (!statement->split || !is_one_region_body(body.tree(), *statement)) return BlockFusion::None;
                if (strided.count(statement.get())) {
                    if (fusion == BlockFusion::None) fusion = BlockFusion::Run;
                } else if (is_moving_loop(*statement, body, uniformity)) {
                    fusion = BlockFusion::Parts;
                } else {
                    return BlockFusion::None;
                }
                break;
            default:
                return BlockFusion::None;
        }
    }
    return fusion;
}

}  // namespace cuda_shim
