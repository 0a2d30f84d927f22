// Declarations: where each declared name has its type, its bounds and its first value.
#include <algorithm>
#include <array>

#include "kernel_compiler/split/statement_builder.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_pointer_part(std::string_view word) {
    static constexpr std::array<std::string_view, 7> words = {
        "*", "&", "&&", "const", "volatile", "__restrict__", "__restrict"};
    return one_of(word, words);
}

bool is_arithmetic(std::string_view type) {
    for (std::string_view word : {"*", "&", "[", "(", "<"})
        if (type.find(word) != std::string_view::npos) return false;
    for (std::string_view word : {"int", "char", "short", "long", "bool", "unsigned"})
        if (type.find(word) != std::string_view::npos) return true;
    return false;
}

}  // namespace

size_t StatementBuilder::closing_token(size_t token) const {
    const size_t close = tokens_.closing(token);
    if (close == TokenStream::npos || close < token) throw NotSplit("unbalanced brackets");
    return close;
}

// A constant that the compiler knows: `const int n = 4 * N;`, which may be an array's bound.
bool StatementBuilder::is_known_constant(NodeIndex index) const {
    const SyntaxNode& variable = tree_[index];
    if (variable.constant) return true;
    if (!starts_with(variable.type, "const ") || !is_arithmetic(variable.real_type()) || variable.is_volatile() ||
        !variable.initialised)
        return false;
    for (NodeIndex i = index + 1; i < variable.end; ++i) {
        const SyntaxNode& node = tree_[i];
        switch (node.kind) {
            case NodeKind::Literal:
            case NodeKind::Paren:
            case NodeKind::ImplicitCast:
            case NodeKind::ValueCast:
            case NodeKind::Conditional:
            case NodeKind::Sizeof:
            case NodeKind::TypeTrait:
            case NodeKind::Constant:
            case NodeKind::SubstitutedParameter:
            case NodeKind::TemplateParameter:
            case NodeKind::InitList:
                continue;
            case NodeKind::Unary:
            case NodeKind::Binary:
                if (node.operation == "=" || node.operation == "++" || node.operation == "--" ||
                    node.operation == "&" || node.operation == "*")
                    return false;
                continue;
            case NodeKind::Reference: {
                if (node.target_kind == NodeKind::Enumerator || node.target_kind == NodeKind::TemplateParameter)
                    continue;
                const NodeIndex declaration = tree_.declaration(node.target);
                if (declaration == kNoNode || tree_[declaration].kind != NodeKind::Variable ||
                    !is_known_constant(declaration))
                    return false;
                continue;
            }
            default:
                return false;
        }
    }
    return true;
}

bool StatementBuilder::is_verbatim(NodeIndex declaration) const {
    const SyntaxNode& node = tree_[declaration];
    switch (node.kind) {
        case NodeKind::Variable:
            return node.is_static || is_known_constant(declaration);
        case NodeKind::TypeName:
        case NodeKind::Enumeration:
        case NodeKind::StaticAssert:
        case NodeKind::Record:
            return true;
        default:
            throw NotSplit("a declaration of neither a variable nor a type");
    }
}

std::unique_ptr<Declaration> StatementBuilder::declaration(NodeIndex declare) const {
    auto result = std::make_unique<Declaration>();
    result->node = declare;
    std::vector<NodeIndex> names;
    bool all_verbatim = true;
    bool constants = false;
    for (NodeIndex child : tree_.children(declare)) {
        const bool child_verbatim = is_verbatim(child);
        all_verbatim = all_verbatim && child_verbatim;
        if (tree_[child].kind != NodeKind::Variable) continue;
        constants = constants || child_verbatim;
        names.push_back(child);
    }
    // An array's bound must stay a constant, and would not as a value of the block's.
    if (constants && !all_verbatim) throw NotSplit("constants declared together with variables");
    if (all_verbatim) result->kind = Declaration::Verbatim;
    const Range range = text_of(declare);
    result->specifiers = {range.begin, range.end};
    size_t begin = 0;
    for (NodeIndex name : names) {
        if (tree_[name].name_token == TokenStream::npos || tree_[name].name.empty())
            throw NotSplit("a variable without a name");
        if (all_verbatim) {  // the names matter all the same
            Declarator declarator;
            declarator.node = name;
            declarator.name = tree_[name].name_token;
            result->declarators.push_back(declarator);
            continue;
        }
        if (result->declarators.empty()) {
            begin = specifiers_end(range.begin, tree_[name].name_token);
            result->specifiers.end = begin;
        }
        result->declarators.push_back(declarator(name, begin));
        const Declarator& last = result->declarators.back();
        begin = std::max(last.range.end, last.initial.end);
        if (last.initialiser == Declarator::Parenthesised || last.initialiser == Declarator::Braced) ++begin;
        if (!tokens_.is(begin, ",") && !tokens_.is(begin, ";") && !tokens_.is(begin, ":") && !tokens_.is(begin, ")"))
            throw NotSplit(concat({"the declaration of ", tree_[name].name, " has an unexpected end"}));
        ++begin;
    }
    return result;
}

// The token at which "* const p" begins in "const float* const p".
size_t StatementBuilder::specifiers_end(size_t begin, size_t name) const {
    size_t at = name;
    while (at > begin && (is_pointer_part(tokens_.text(at - 1)) || tokens_.is(at - 1, "("))) --at;
    while (at < name && !tokens_.is(at, "*") && !tokens_.is(at, "&") && !tokens_.is(at, "&&") && !tokens_.is(at, "("))
        ++at;
    return at;
}

// `function`: a pointer or reference to one, whose parameters follow.
size_t StatementBuilder::declarator_end(size_t name, bool function) const {
    size_t at = name + 1;
    while (tokens_.is(at, "[")) {
        if (tokens_.is(at + 1, "["))
            throw NotSplit(concat({"the variable ", tokens_.text(name), " has an attribute behind its name"}));
        at = closing_token(at) + 1;
    }
    if (!tokens_.is(at, ")")) return at;
    // `(*name)(int)` or `(&name)[4]`
    while (tokens_.is(at, ")")) ++at;
    if (function && tokens_.is(at, "(")) at = closing_token(at) + 1;
    while (tokens_.is(at, "[")) at = closing_token(at) + 1;
    return at;
}

Declarator StatementBuilder::declarator(NodeIndex variable, size_t begin) const {
    Declarator declarator;
    declarator.node = variable;
    declarator.name = tree_[variable].name_token;
    if (declarator.name < begin)
        throw NotSplit(concat({"the name ", tree_[variable].name, " stands before its declarator"}));
    const bool function = tree_[variable].type.find(")(") != std::string_view::npos;
    size_t at = declarator_end(declarator.name, function);
    declarator.range = {begin, at};
    if (tokens_.is(at, "(") || tokens_.is(at, "{")) {
        declarator.initialiser = tokens_.is(at, "(") ? Declarator::Parenthesised : Declarator::Braced;
        declarator.initial = {at + 1, closing_token(at)};
    } else if (tokens_.is(at, "=")) {
        declarator.initialiser = Declarator::Assigned;
        // The compiler's tree says where the expression ends: a comma may be part of it.
        size_t end = at + 2;
        for (NodeIndex child : tree_.children(variable))
            if (tree_[child].kind != NodeKind::Attribute && !tree_[child].tokens.empty())
                end = std::max(end, tree_[child].tokens.end);
        declarator.initial = {at + 1, end};
    }
    return declarator;
}

}  // namespace cuda_shim
