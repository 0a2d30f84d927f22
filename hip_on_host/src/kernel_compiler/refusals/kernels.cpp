#include "kernel_compiler/refusals/kernels.h"

#include <array>

#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/refusals/declaration_words.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

class KernelRules {
public:
    KernelRules(const SyntaxTree& tree, RefusalReport& report) : tree_(tree), tokens_(tree.tokens()), report_(report) {}

    void refuse() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (!node.is_function() || node.implicit || node.name_token == TokenStream::npos) continue;
            const DeclarationWords words(tokens_, node);
            if (words.has("__global__") && !is_function_template(tree_, i)) judge_parameters(i);
            if (has_template_arguments(tree_, i)) continue;  // the template is judged
            judge_name(i, words);
            judge_redeclaration(i, words);
            for (std::string_view space : {"__constant__", "__managed__", "__shared__"})
                if (words.has(space))
                    report_.add(words.at(space),
                                concat({"attribute \"", std::string(space), "\" does not apply here"}));
            if (words.has("__global__"))
                judge_kernel(i, words);
            else
                judge_other_function(words);
        }
    }

private:
    void judge_name(NodeIndex function, const DeclarationWords& words) {
        const SyntaxNode& node = tree_[function];
        const bool of_device = words.has("__device__") || words.has("__global__");
        if (of_device && node.name == "main" && node.kind == NodeKind::Function &&
            !is_within(tree_, function, NodeKind::Namespace))
            report_.add(words.first(), "function main cannot be marked __device__ or __global__");
    }

    void judge_kernel(NodeIndex kernel, const DeclarationWords& words) {
        const SyntaxNode& node = tree_[kernel];
        for (std::string_view other : {"__device__", "__host__"})
            if (words.has(other)) report_.add(words.at(other), "illegal combination of memory qualifiers");
        if (starts_with(node.name, "operator"))
            report_.add(node.name_token, "An operator function cannot be a __global__ function");
        if (node.kind != NodeKind::Function)
            report_.add(node.name_token, "A __global__ function or function template cannot be a member function");
        if (words.has("friend") && tree_.body(kernel) != kNoNode)
            report_.add(node.name_token,
                        "A __global__ function or function template cannot be defined in a friend declaration");
        for (std::string_view word : {"constexpr", "consteval"})
            if (words.has(word))
                report_.add(words.at(word), concat({"A __global__ function or function template cannot be marked ",
                                                    std::string(word)}));
        if (words.has("__launch_bounds__") && words.has("__maxnreg__"))
            report_.add(words.at("__maxnreg__"),
                        "The __launch_bounds__ and __maxnreg__ qualifiers cannot be applied to the same kernel");
        judge_type(kernel, words);
    }

    void judge_type(NodeIndex kernel, const DeclarationWords& words) {
        const SyntaxNode& node = tree_[kernel];
        const std::string_view type = node.real_type();
        const size_t arrow = type.rfind(") -> ");
        const bool trailing = arrow != std::string_view::npos;
        const std::string_view result = trailing ? type.substr(arrow + 5) : type.substr(0, type.find(" ("));
        if (!trailing && words.at("auto") < node.name_token)
            report_.add(words.first(), "a __global__ function must not have a deduced return type");
        else if (is_certainly_a_value(result))
            report_.add(words.first(), "a __global__ function must have a void return type");
        if (ends_with(type, ", ...)") || ends_with(type, "(...)"))
            report_.add(words.first(), "a __global__ function cannot have ellipsis");
        if (type.find(") noexcept") != std::string_view::npos)
            report_.add(words.first(),
                        "An exception specification is not allowed for a __global__ function or function template");
    }

    // Other names may stand for void, and those of templates for anything.
    static bool is_certainly_a_value(std::string_view result) {
        static constexpr std::array<std::string_view, 14> words = {"int",
                                                                   "unsigned int",
                                                                   "float",
                                                                   "double",
                                                                   "bool",
                                                                   "char",
                                                                   "short",
                                                                   "signed char",
                                                                   "unsigned char",
                                                                   "unsigned short",
                                                                   "unsigned long",
                                                                   "long",
                                                                   "unsigned long long",
                                                                   "long long"};
        return ends_with(result, "*") || ends_with(result, "&") || one_of(result, words);
    }

    void judge_parameters(NodeIndex kernel) {
        for (NodeIndex child : tree_.children(kernel)) {
            const SyntaxNode& parameter = tree_[child];
            if (parameter.kind != NodeKind::Parameter) continue;
            const std::string_view type = parameter.real_type();
            const size_t place =
                parameter.name_token == TokenStream::npos ? tree_[kernel].name_token : parameter.name_token;
            if (ends_with(type, "&&"))
                report_.add(place, "a __global__ function cannot have a parameter with rvalue reference type");
            if (starts_with(type, "std::initializer_list<"))
                report_.add(place,
                            "a __global__ function or function template cannot have a parameter with type "
                            "std::initializer_list");
        }
    }

    void judge_other_function(const DeclarationWords& words) {
        for (std::string_view word : {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__"})
            if (words.has(word))
                report_.add(words.at(word), concat({std::string(word), " is only allowed on a __global__ function"}));
    }

    void judge_redeclaration(NodeIndex function, const DeclarationWords& words) {
        const NodeIndex before = function_declared_before(tree_, function);
        if (before == kNoNode || tree_[before].implicit || tree_[before].name_token == TokenStream::npos) return;
        const DeclarationWords first(tokens_, tree_[before]);
        const bool was = first.has("__global__"), is = words.has("__global__");
        if (was == is) return;
        const std::string name(tree_[function].name);
        if (was)
            report_.add(tree_[function].name_token,
                        concat({"a __global__ function(\"", name, "\") redeclared ",
                                words.has("__device__") ? "with __device__" : "without __global__"}));
        else if (first.has("__device__"))
            report_.add(tree_[function].name_token,
                        concat({"a __device__ function(\"", name, "\") redeclared with __global__"}));
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    RefusalReport& report_;
};

}  // namespace

void refuse_wrong_kernels(const SyntaxTree& tree, RefusalReport& report) { KernelRules(tree, report).refuse(); }

}  // namespace cuda_shim
