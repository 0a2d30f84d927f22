#include "kernel_compiler/split/block_fusion.h"

#include <algorithm>
#include <array>

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

}  // namespace

bool can_fuse_blocks(const KernelBody& body, const Uniformity& uniformity,
                     const std::map<const Statement*, StridedLoop>& strided) {
    const auto& variables = body.variables();
    if (strided.empty() || may_share_memory(body)) return false;
    if (std::any_of(variables.begin(), variables.end(), [](const Variable& variable) { return variable.per_thread; }))
        return false;
    for (const auto& statement : body.root().children) {
        switch (statement->kind) {
            case Statement::Empty:
                break;
            case Statement::Declare:
                if (!is_launch_uniform(*statement, body, uniformity)) return false;
                break;
            case Statement::For:
                if (!strided.count(statement.get()) || !is_one_region_body(body.tree(), *statement)) return false;
                break;
            default:
                return false;
        }
    }
    return true;
}

}  // namespace cuda_shim
