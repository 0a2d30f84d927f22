#include "kernel_compiler/refusals/kernel_attributes.h"

#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/refusals/declaration_words.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr int kFirstWithClusters = 90;

class AttributeRules {
public:
    AttributeRules(const SyntaxTree& tree, const CompileOptions& options, RefusalReport& report)
        : tree_(tree),
          tokens_(tree.tokens()),
          has_clusters_(options.capability() >= kFirstWithClusters),
          report_(report) {}

    void refuse() {
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.implicit || node.name_token == TokenStream::npos) continue;
            if (node.is_function()) judge_function(i);
            if (node.kind == NodeKind::Parameter && tree_[node.parent].is_function()) judge_parameter(i);
        }
    }

private:
    void judge_function(NodeIndex function) {
        const DeclarationWords words(tokens_, tree_[function]);
        if (tree_.body(function) != kNoNode) judge_places(function, words);
        if (!words.has("__global__") || has_template_arguments(tree_, function)) return;
        judge_arguments(function, words, "__launch_bounds__", 3);
        judge_arguments(function, words, "__cluster_dims__", 3);
        judge_arguments(function, words, "__maxnreg__", 1);
        if (!has_clusters_ && words.has("__cluster_dims__"))
            report_.add(words.at("__cluster_dims__"), "__cluster_dims__ is not supported for this GPU architecture");
    }

    // Behind the parameters, only a declaration without a body may have them.
    void judge_places(NodeIndex function, const DeclarationWords& words) {
        size_t open = tree_[function].name_token + 1;
        while (open < tokens_.size() && !tokens_.is(open, "(") && !tokens_.is(open, "{") && !tokens_.is(open, ";"))
            ++open;
        const size_t close = tokens_.closing(open);
        if (!tokens_.is(open, "(") || close == TokenStream::npos || !is_list_of_parameters(function, open, close))
            return;
        for (const auto& [word, place] : words.words())
            if (place > close && (starts_with(word, "__")))
                report_.add(place, "attributes are not permitted in a function definition");
    }

    // `k __launch_bounds__(256) (int* p)` and `operator()(int)` have others in front.
    bool is_list_of_parameters(NodeIndex function, size_t open, size_t close) const {
        if (open != tree_[function].name_token + 1 || tokens_.is(close + 1, "(")) return false;
        for (NodeIndex child : tree_.children(function))
            if (tree_[child].kind == NodeKind::Parameter && tree_[child].name_token != TokenStream::npos)
                return tree_[child].name_token > open && tree_[child].name_token < close;
        return true;
    }

    void judge_arguments(NodeIndex kernel, const DeclarationWords& words, std::string_view attribute, size_t most) {
        const size_t word = words.at(attribute);
        if (word == TokenStream::npos || !tokens_.is(word + 1, "(")) return;
        const size_t close = tokens_.closing(word + 1);
        if (close == TokenStream::npos) return;
        std::vector<Range> arguments(1);
        arguments[0].begin = word + 2;
        for (size_t i = word + 2; i < close; ++i) {
            if (tokens_.is(i, "<")) return;  // arguments of templates have commas of their own
            const size_t end = tokens_.closing(i);
            if (tokens_.is(i, ",")) {
                arguments.back().end = i;
                arguments.push_back({i + 1, close});
            } else if (end != TokenStream::npos && end > i) {
                i = end;
            }
        }
        arguments.back().end = close;
        if (attribute == "__cluster_dims__" && word + 2 == close) return;  // as large as the launch says
        for (size_t i = 0; i < arguments.size(); ++i) judge_argument(kernel, attribute, arguments[i], i);
        if (arguments.size() > most)
            report_.add(arguments[most].begin, most > 1 ? "expected a \")\"" : too_many(attribute));
        else if (attribute == "__launch_bounds__" && arguments.size() == 3 && !has_clusters_)
            report_.add(arguments[2].begin, "cannot specify max blocks per cluster for this GPU architecture");
    }

    static std::string too_many(std::string_view attribute) {
        return concat({"too many arguments in invocation of macro \"", std::string(attribute), "\""});
    }

    void judge_argument(NodeIndex kernel, std::string_view attribute, Range argument, size_t number) {
        const size_t first = argument.begin;
        if (argument.begin >= argument.end) return report_.add(first, "expected an expression");
        const bool negative = tokens_.is(first, "-"), single = argument.end - first == (negative ? 2u : 1u);
        if (!single) return;
        const size_t value = argument.end - 1;
        if (tokens_.is_identifier(value)) return judge_name(kernel, value);
        if (tokens_[value].kind != Token::Number) return;
        const std::string_view digits = tokens_.text(value);
        const bool hexadecimal = starts_with(digits, "0x") || starts_with(digits, "0X");
        if (digits.find('.') != std::string_view::npos ||
            (!hexadecimal && digits.find_first_of("eE") != std::string_view::npos))
            report_.add(value,
                        "this constant expression has type \"double\" instead of the required integral or enum type");
        else if (attribute == "__maxnreg__" && (negative || digits == "0"))
            report_.add(first, "The maximum number of registers that can be allocated per thread must be positive");
        else if (attribute == "__cluster_dims__" && (negative || digits == "0"))
            report_.add(first, "__cluster_dims__ arguments must be positive integers");
        else if (attribute == "__launch_bounds__" && number == 2 && negative)
            report_.add(first, "max blocks per cluster must not be negative");
    }

    // Where the attribute stands the kernel's parameters are not declared yet, and variables are no constants.
    void judge_name(NodeIndex kernel, size_t token) {
        const std::string_view name = tokens_.text(token);
        bool is_parameter = false, is_other = false;
        for (NodeIndex child : tree_.children(kernel))
            is_parameter = is_parameter || (tree_[child].kind == NodeKind::Parameter && tree_[child].name == name);
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.name != name || node.kind == NodeKind::Parameter || node.kind == NodeKind::Reference) continue;
            is_other = true;
            if (node.kind == NodeKind::Variable && !node.constant && tree_.function_around(node.parent) == kNoNode &&
                !is_within(tree_, i, NodeKind::Record) && node.real_type().find("const") == std::string_view::npos)
                return report_.add(token, "expression must have a constant value");
        }
        if (is_parameter && !is_other)
            report_.add(token, concat({"identifier \"", std::string(name), "\" is undefined"}));
    }

    void judge_parameter(NodeIndex parameter) {
        const SyntaxNode& node = tree_[parameter];
        const DeclarationWords words(tokens_, node);
        if (!words.has("__grid_constant__") || is_within_template(tree_, parameter)) return;
        const std::string_view type = node.real_type();
        const bool constant = ends_with(type, "const") ||
                              (starts_with(type, "const ") && type.find_first_of("*&") == std::string_view::npos);
        if (!DeclarationWords(tokens_, tree_[node.parent]).has("__global__"))
            report_.add(node.name_token,
                        "__grid_constant__ annotation is only allowed on a parameter of a __global__ function");
        else if (!constant)
            report_.add(node.name_token, "a parameter annotated with __grid_constant__ must have const-qualified type");
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    const bool has_clusters_;
    RefusalReport& report_;
};

}  // namespace

void refuse_wrong_attributes(const SyntaxTree& tree, const CompileOptions& options, RefusalReport& report) {
    AttributeRules(tree, options, report).refuse();
}

}  // namespace cuda_shim
