#include "kernel_compiler/refusals/memory_spaces.h"

#include <algorithm>

#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/refusals/declaration_words.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

class VariableRules {
public:
    VariableRules(const SyntaxTree& tree, RefusalReport& report)
        : tree_(tree), tokens_(tree.tokens()), report_(report) {}

    void refuse() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.implicit || node.name_token == TokenStream::npos) continue;
            if (node.kind == NodeKind::Variable)
                judge_variable(i);
            else if (node.kind == NodeKind::Field || (node.kind == NodeKind::Parameter && !tree_[node.parent].implicit))
                judge_without_space(i);
        }
    }

private:
    // Fields and parameters are where the object or the call has them.
    void judge_without_space(NodeIndex declaration) {
        const DeclarationWords words(tokens_, tree_[declaration]);
        for (const auto& [word, place] : words.words())
            if (is_memory_space(word) || word == "__host__" || word == "__global__") does_not_apply(word, place);
    }

    void does_not_apply(std::string_view word, size_t place) {
        report_.add(place, concat({"attribute \"", std::string(word), "\" does not apply here"}));
    }

    void judge_variable(NodeIndex variable) {
        const SyntaxNode& node = tree_[variable];
        const DeclarationWords words(tokens_, node);
        for (std::string_view word : {"__host__", "__global__", "__launch_bounds__", "__cluster_dims__", "__maxnreg__"})
            if (words.has(word)) does_not_apply(word, words.at(word));
        if (words.has("__grid_constant__")) does_not_apply("grid_constant", words.at("__grid_constant__"));
        judge_combination(node, words);
        const bool in_function = tree_.function_around(node.parent) != kNoNode;
        if (words.has("thread_local")) judge_thread_local(words, in_function);
        if (is_within_template(tree_, variable)) return;
        if (in_function) judge_local(node, words);
        if (words.has("__shared__")) judge_shared(node, words);
        if (has_variable_length(node)) report_.add(node.name_token, "expression must have a constant value");
    }

    void judge_combination(const SyntaxNode& node, const DeclarationWords& words) {
        if (words.has("__managed__") && (words.has("__shared__") || words.has("__constant__")))
            report_.add(node.name_token, "__managed__ variables cannot be marked __shared__ or __constant__");
        else if (words.has("__shared__") && words.has("__constant__"))
            report_.add(std::max(words.at("__shared__"), words.at("__constant__")),
                        "illegal combination of memory qualifiers");
        if (!words.has("__managed__")) return;
        if (words.has("constexpr"))
            report_.add(words.at("constexpr"), "A __managed__ variable cannot be marked constexpr");
        if (starts_with(node.real_type(), "const ") && !ends_with(node.real_type(), "*"))
            report_.add(node.name_token, "a __managed__ variable cannot have a const qualified type");
        if (ends_with(node.real_type(), "&"))
            report_.add(node.name_token, "a __managed__ variable cannot have a reference type");
    }

    void judge_thread_local(const DeclarationWords& words, bool in_function) {
        for (std::string_view space : {"__managed__", "__shared__", "__constant__", "__device__"})
            if (words.has(space))
                return report_.add(words.at("thread_local"), concat({"cannot use thread_local specifier for a ",
                                                                     std::string(space), " variable"}));
        if (in_function)
            report_.add(words.at("thread_local"),
                        "cannot use thread_local specifier for variable declarations in device code");
    }

    void judge_local(const SyntaxNode& node, const DeclarationWords& words) {
        if (words.has("static") || words.has("extern") || words.has("__shared__") || words.has("constexpr")) return;
        for (std::string_view space : {"__managed__", "__constant__", "__device__"})
            if (words.has(space))
                return report_.add(node.name_token, concat({"an automatic \"", std::string(space),
                                                            "\" variable declaration is not allowed inside a device "
                                                            "function body"}));
    }

    void judge_shared(const SyntaxNode& node, const DeclarationWords& words) {
        if (words.has("constexpr"))
            report_.add(words.at("constexpr"), "A __shared__ variable cannot be marked constexpr");
        size_t behind = node.name_token + 1;
        while (tokens_.is(behind, "[") && tokens_.closing(behind) != TokenStream::npos)
            behind = tokens_.closing(behind) + 1;
        if (tokens_.is(behind, "=") || tokens_.is(behind, "(") || tokens_.is(behind, "{"))
            report_.add(node.name_token, "initializer not allowed for __shared__ variable ");
    }

    // Clang takes arrays whose bounds the program computes, and prints their bounds as they are written.
    static bool has_variable_length(const SyntaxNode& node) {
        if (node.is_dependent()) return false;
        for (std::string_view type = node.real_type(); ends_with(type, "]"); type = type.substr(0, type.rfind('['))) {
            const size_t open = type.rfind('[');
            if (open == std::string_view::npos) return false;
            const std::string_view bound = type.substr(open + 1, type.size() - open - 2);
            if (bound.find_first_not_of("0123456789") != std::string_view::npos) return true;
        }
        return false;
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    RefusalReport& report_;
};

}  // namespace

void refuse_wrong_variables(const SyntaxTree& tree, RefusalReport& report) { VariableRules(tree, report).refuse(); }

}  // namespace cuda_shim
