#include "kernel_compiler/refusals/execution_space.h"

#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/refusals/declaration_words.h"
#include "kernel_compiler/refusals/declared_type.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr char kUnmarkedFunction[] =
    "A function without execution space annotations (__host__/__device__/__global__) is considered a host function, "
    "and host functions are not allowed in JIT mode. Consider using -default-device flag to process unannotated "
    "functions as __device__ functions in JIT mode";
constexpr char kHostFunction[] = "A function explicitly marked as a __host__ function is not allowed in JIT mode";
constexpr char kUnmarkedVariable[] =
    "A namespace scope variable without memory space annotations (__device__/__constant__/__shared__/__managed__) is "
    "considered a host variable, and host variables are not allowed in JIT mode. Consider using -default-device flag "
    "to process unannotated namespace scope variables as __device__ variables in JIT mode";
constexpr char kStaticMember[] =
    "A class static data member with non-const type is considered a host variable, and host variables are not allowed "
    "in JIT mode. Consider using -default-device flag to process such data members as __device__ variables in JIT mode";
constexpr char kHostLambda[] =
    "The execution space for the lambda closure class members was inferred to be __host__ (based on context). This is "
    "not allowed in JIT mode. Consider using -default-device to infer __device__ execution space for namespace scope "
    "lambda closure classes.";
constexpr char kMarkedLambda[] = "__host__ or __device__ annotation on lambda is not allowed in JIT mode";

class HostDeclarations {
public:
    HostDeclarations(const SyntaxTree& tree, RefusalReport& report)
        : tree_(tree), tokens_(tree.tokens()), report_(report) {}

    void refuse() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.is_function() && node.name_token != TokenStream::npos)
                judge_function(i);
            else if (node.kind == NodeKind::Variable && node.name_token != TokenStream::npos)
                judge_variable(i);
            else if (node.kind == NodeKind::Lambda && !node.tokens.empty())
                judge_lambda(i);
        }
    }

private:
    // A declaration before has decided; of a template, it is the template that is declared again.
    bool is_declared_before(NodeIndex function) const {
        if (tree_[function].redeclares) return true;
        const NodeIndex parent = tree_[function].parent;
        return parent != kNoNode && tree_[parent].kind == NodeKind::FunctionTemplate && tree_[parent].redeclares;
    }

    void judge_function(NodeIndex function) {
        const SyntaxNode& node = tree_[function];
        if (node.implicit || is_declared_before(function) || is_within(tree_, function, NodeKind::Lambda)) return;
        if (has_template_arguments(tree_, function)) return;
        const bool member = node.kind != NodeKind::Function;
        if (!member && (starts_with(node.name, "operator new") || starts_with(node.name, "operator delete"))) return;
        if (node.name_token > 0 && tokens_.is(node.name_token - 1, "::")) return;  // declared in its class
        const DeclarationWords words(tokens_, node);
        if (words.has("__device__") || words.has("__global__") || words.is_full_specialisation()) return;
        if (words.has("friend") && is_within(tree_, function, NodeKind::ClassTemplate))
            return;  // judged where it is instantiated
        const bool plain = member ? !node.is_virtual : is_function_template(tree_, function);
        if (plain && (node.deleted || node.defaulted)) return;
        report_.add(node.name_token, words.has("__host__") ? kHostFunction : kUnmarkedFunction);
    }

    static bool is_constant(const SyntaxNode& variable) {
        const std::string_view type = element_type(variable.real_type());
        // `auto` is resolved in the type as it is written.
        if (variable.constant || ends_with(type, "const") || type.find("(*const") != std::string_view::npos)
            return true;
        return starts_with(type, "const ") && type.find('*') == std::string_view::npos;
    }

    void judge_lambda(NodeIndex lambda) {
        const Range range = tree_[lambda].tokens;
        if (tree_.function_around(tree_[lambda].parent) == kNoNode)
            report_.add(std::min(range.begin + 1, range.end - 1), kHostLambda);
        for (size_t i = range.begin; i < range.end && !tokens_.is(i, "{"); ++i)
            if (tokens_.is(i, "__device__") || tokens_.is(i, "__host__")) report_.add(i, kMarkedLambda);
    }

    void judge_variable(NodeIndex variable) {
        const SyntaxNode& node = tree_[variable];
        if (node.implicit || node.name.empty() || node.redeclares) return;
        const SyntaxNode& around = tree_[node.parent];
        const bool member = around.kind == NodeKind::Record;
        const bool in_function = tree_.function_around(node.parent) != kNoNode;
        if (around.kind == NodeKind::Other && around.parent != kNoNode) return;  // a variable template
        const bool at_namespace = around.kind == NodeKind::Namespace || around.kind == NodeKind::LinkageSpecification ||
                                  around.parent == kNoNode;
        if (is_constant(node) || is_texture(node)) return;
        if (node.name_token > 0 && tokens_.is(node.name_token - 1, "::")) return;
        const DeclarationWords words(tokens_, node);
        if (member) {
            if (!in_function) report_.add(node.name_token, kStaticMember);
        } else if (!words.has_memory_space() && (at_namespace || (in_function && words.has("extern")))) {
            report_.add(node.name_token, kUnmarkedVariable);
        }
    }

    // Texture references need no mark.
    static bool is_texture(const SyntaxNode& variable) {
        const std::string_view type = variable.real_type();
        return starts_with(type, "texture<") || starts_with(type, "surface<") || type == "textureReference";
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    RefusalReport& report_;
};

}  // namespace

void refuse_host_declarations(const SyntaxTree& tree, RefusalReport& report) {
    HostDeclarations(tree, report).refuse();
}

}  // namespace cuda_shim
