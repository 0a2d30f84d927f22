#include "kernel_compiler/split/divergent_loops.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/analyse/function_facts.h"
#include "kernel_compiler/split/interchange.h"
#include "kernel_compiler/split/kernel_body.h"
#include "kernel_compiler/split/uniformity.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_built_in_index(std::string_view name) {
    static constexpr std::array<std::string_view, 4> names = {"cuda_shim_thread_index", "cuda_shim_block_index",
                                                              "cuda_shim_block_dim", "cuda_shim_grid_dim"};
    return one_of(name, names);
}

bool names_lane_value(const FunctionSyntax& syntax, NodeIndex index) {
    const SyntaxTree& tree = syntax.tree();
    const SyntaxNode& node = tree[index];
    if (syntax.names_constant(index)) return true;
    if (node.target_kind == NodeKind::Function) {
        const NodeIndex call = tree[node.parent].parent;  // behind the cast to a pointer
        return tree[call].kind == NodeKind::Call && syntax.calls().callee(call).of_prelude &&
               one_of_sorted(node.name, kVectorFunctions);
    }
    if (syntax.variable_of(index) != TokenStream::npos) {
        const NodeIndex declaration = tree.declaration(node.target);
        const bool in_structure = declaration > syntax.structure() && declaration < tree[syntax.structure()].end;
        const bool in_instance =
            std::any_of(syntax.instances().begin(), syntax.instances().end(),
                        [&](NodeIndex function) { return declaration > function && declaration < tree[function].end; });
        return in_structure || in_instance;
    }
    return is_built_in_index(node.name);
}

bool is_arithmetic_node(const FunctionSyntax& syntax, NodeIndex index) {
    const SyntaxTree& tree = syntax.tree();
    const SyntaxNode& node = tree[index];
    switch (node.kind) {
        case NodeKind::Literal:
        case NodeKind::Paren:
        case NodeKind::Conditional:
        case NodeKind::Constant:
        case NodeKind::Sizeof:
        case NodeKind::SubstitutedParameter:
        case NodeKind::TemplateParameter:
        case NodeKind::MaterialiseTemporary:
        case NodeKind::Compound:
        case NodeKind::If:
        case NodeKind::For:
        case NodeKind::While:
        case NodeKind::Do:
        case NodeKind::Break:
        case NodeKind::Continue:
        case NodeKind::Return:
        case NodeKind::Null:
        case NodeKind::Declare:
        case NodeKind::Attributed:
        case NodeKind::Attribute:
            return true;
        case NodeKind::Variable:
            return !node.is_static;
        case NodeKind::ImplicitCast:
        case NodeKind::ValueCast:
            return !node.is_volatile() && node.operation != "ArrayToPointerDecay" &&
                   node.operation != "ConstructorConversion" && node.operation != "UserDefinedConversion";
        case NodeKind::Unary:
            return node.operation != "&" && node.operation != "*";
        case NodeKind::Binary:
        case NodeKind::CompoundAssign:
            return node.operation[0] != '%' && node.operation[0] != '.' && node.operation.substr(0, 2) != "->";
        case NodeKind::Member: {
            const NodeIndex base = tree.without_parens(tree.child(index, 0));
            return !node.arrow && tree[base].kind == NodeKind::Reference && is_built_in_index(tree[base].name);
        }
        case NodeKind::Call: {
            const Callee callee = syntax.calls().callee(index);
            return callee.of_prelude && one_of_sorted(callee.name, kVectorFunctions);
        }
        case NodeKind::Reference:
            return names_lane_value(syntax, index);
        default:
            return false;
    }
}

bool is_arithmetic_range(Range range, const FunctionSyntax& syntax) {
    return syntax.all_within(range, [&](NodeIndex node) { return is_arithmetic_node(syntax, node); });
}

bool is_straight_line(const Statement& statement) {
    switch (statement.kind) {
        case Statement::Expression:
        case Statement::Break:
        case Statement::Continue:
        case Statement::Empty:
        case Statement::Return:
            return !statement.split;
        case Statement::Declare:
            return !statement.split && statement.declaration->kind == Declaration::Variables;
        case Statement::Compound:
        case Statement::If:
            return !statement.split && !statement.constexpr_if &&
                   std::all_of(statement.children.begin(), statement.children.end(),
                               [](const auto& child) { return is_straight_line(*child); });
        default:
            return false;
    }
}

// Is the statement, with those in it, only arithmetic? `loops`: counts the loops that only compute.
bool is_arithmetic(const Statement& statement, const FunctionSyntax& syntax, int& loops) {
    if (statement.kind == Statement::Pragma) return true;
    if (is_loop(statement)) return ++loops, is_arithmetic_loop(statement, syntax);
    if (statement.kind != Statement::Compound && statement.kind != Statement::If)
        return is_straight_line(statement) && is_arithmetic_range(statement.range, syntax);
    return !statement.constexpr_if && is_arithmetic_range(statement.condition, syntax) &&
           std::all_of(statement.children.begin(), statement.children.end(),
                       [&](const auto& child) { return is_arithmetic(*child, syntax, loops); });
}

bool is_number_type(std::string_view type) {
    Variable variable;
    variable.type = type;
    return variable.is_arithmetic();
}

}  // namespace

bool is_arithmetic_loop(const Statement& loop, const FunctionSyntax& syntax) {
    return is_loop(loop) && loop.kind != Statement::RangeFor && is_straight_line(*loop.children[0]) &&
           is_arithmetic_range(loop.range, syntax);
}

bool is_arithmetic_function(const FunctionSyntax& syntax, const Statement& body) {
    const SyntaxTree& tree = syntax.tree();
    if (tree[syntax.structure()].kind != NodeKind::Function || syntax.instances().size() != 1 ||
        syntax.instances().front() != syntax.structure())
        return false;
    // Numbers come in, and one goes out.
    const std::string_view type = tree[syntax.structure()].type;
    if (!is_number_type(type.substr(0, type.find(" (")))) return false;
    for (NodeIndex parameter : syntax.parameters())
        if (!is_number_type(tree[parameter].real_type())) return false;
    int loops = 0;
    return is_arithmetic(body, syntax, loops) && loops > 0;
}

bool runs_under_lane_mask(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    if (!is_arithmetic_loop(loop, body.syntax())) return false;
    if (uniformity.has_uniform_trip_count(loop) || as_strided(loop, body, uniformity).is) return false;
    const auto in_loop = [&](size_t token) { return token >= loop.range.begin && token < loop.range.end; };
    const Range body_range = loop.children[0]->range;
    const auto in_body = [&](size_t token) { return token >= body_range.begin && token < body_range.end; };
    for (const Variable& variable : body.variables()) {
        // Taking the loop apart would keep an array around it for every thread of the block.
        const bool is_local_array = variable.kind == Variable::Local && variable.is_array();
        if (is_local_array && variable.declared_at < loop.range.begin && !variable.uses.empty()) return false;
        if (std::none_of(variable.uses.begin(), variable.uses.end(), in_loop)) continue;
        if (variable.kind == Variable::Fixed && variable.constant) continue;
        if (variable.kind == Variable::Fixed || variable.aliased || !variable.is_arithmetic()) return false;
        // A variable of the block would change once for every few threads, or for each of them.
        if (variable.varying || in_body(variable.declared_at)) continue;
        const std::vector<size_t>& writes = variable.writes;
        const bool declared_in_header = in_loop(variable.declared_at);
        if (declared_in_header ? std::any_of(writes.begin(), writes.end(), in_body)
                               : std::any_of(writes.begin(), writes.end(), in_loop))
            return false;
    }
    return true;
}

}  // namespace cuda_shim
