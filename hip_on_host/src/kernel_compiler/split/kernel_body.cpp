#include "kernel_compiler/split/kernel_body.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/split/interchange.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

std::string_view without_qualifiers(std::string_view type) {
    for (std::string_view word : {"const ", "volatile "})
        if (starts_with(type, word)) type.remove_prefix(word.size());
    return type;
}

}  // namespace

bool Variable::is_reference() const {
    return (!type.empty() && type.back() == '&') || type.find("(&") != std::string_view::npos;
}
bool Variable::is_array() const {
    const bool points = type.find("(*)") != std::string_view::npos;
    return !points && !is_reference() && type.find('[') != std::string_view::npos;
}

bool Variable::is_constant() const {
    const bool points = type.find('*') != std::string_view::npos;
    return points ? ends_with(type, "const") : starts_with(type, "const ") || ends_with(type, "const");
}

bool Variable::is_integer() const {
    static constexpr std::array<std::string_view, 11> types = {
        "bool", "char",         "signed char", "unsigned char", "short",    "unsigned short",
        "int",  "unsigned int", "long",        "unsigned long", "long long"};
    const std::string_view plain = without_qualifiers(type);
    return one_of(plain, types) || plain == "unsigned long long";
}
bool Variable::is_arithmetic() const {
    const std::string_view plain = without_qualifiers(type);
    return is_integer() || plain == "float" || plain == "double";
}
bool Variable::is_scalar() const {
    const bool pointer = type.find('*') != std::string_view::npos && !is_array() && !is_reference() &&
                         type.find('(') == std::string_view::npos && type.find('<') == std::string_view::npos;
    return is_arithmetic() || pointer;
}

KernelBody::KernelBody(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
                       const std::set<size_t>* rejected_loops)
    : unit_(unit), kernel_(kernel), syntax_(calls, kernel.body_open), root_(build_statements(syntax_)) {
    if (rejected_loops) interchanged_loops_ = mark_interchange_candidates(*root_, syntax_, *rejected_loops);
    if (rejected_loops && !root_->split) root_->split = only_for_rows_ = true;
    check_names();
    declare_parameters();
    declare(*root_, root_->range, true);
    bind_references();
    bind_unevaluated();
}

int KernelBody::add(Variable variable) {
    const int index = static_cast<int>(variables_.size());
    variable_by_declaration_[variable.declared_at] = index;
    variable_by_token_[variable.declared_at] = index;
    variables_.push_back(std::move(variable));
    return index;
}

// A macro of the prelude may stand for a name: `uint3 threadIdx = ...;` hides the built-in, under the built-in's own
// name.
void KernelBody::check_names() const {
    for (NodeIndex i = syntax_.structure() + 1; i < tree()[syntax_.structure()].end; ++i) {
        const SyntaxNode& node = tree()[i];
        const bool variable = node.kind == NodeKind::Variable || node.kind == NodeKind::Parameter;
        if (variable && !node.name.empty() && node.name_token != TokenStream::npos &&
            node.name != tokens().text(node.name_token))
            throw NotSplit(concat({"the variable ", tokens().text(node.name_token), " hides a built-in one"}));
    }
}

void KernelBody::declare_parameters() {
    for (NodeIndex node : syntax_.parameters()) {
        const SyntaxNode& parameter = tree()[node];
        if (parameter.name.empty()) continue;
        if (parameter.name_token == TokenStream::npos)
            throw NotSplit(concat({"a macro names the parameter ", parameter.name}));
        Variable variable;
        variable.kind = Variable::Parameter;
        variable.node = node;
        variable.name = parameter.name;
        variable.type = parameter.real_type();
        variable.declared_at = parameter.name_token;
        variable.at_structure = true;
        add(std::move(variable));
    }
}

void KernelBody::declare_names(Declaration& declaration, Range scope, bool structural) {
    for (Declarator& declarator : declaration.declarators) {
        const SyntaxNode& node = tree()[declarator.node];
        Variable variable;
        variable.node = declarator.node;
        variable.name = node.name;
        variable.type = node.real_type();
        variable.declaration = &declaration;
        variable.declarator = &declarator;
        variable.declared_at = declarator.name;
        variable.scope = scope;
        variable.at_structure = structural;
        if (declaration.kind == Declaration::Verbatim) {
            variable.kind = Variable::Fixed;
            variable.constant = !node.is_static || node.constant;
        }
        declarator.variable = add(std::move(variable));
    }
}

// Declares the variables of the statements in the tree. Variables inside a statement that is only copied as text (a
// switch, a lambda) are left to each thread.
void KernelBody::declare(const Statement& statement, Range scope, bool structural) {
    if (statement.kind != Statement::Declare) scope = statement.range;
    if (statement.declaration) declare_names(*statement.declaration, scope, structural);
    const bool compound = statement.kind == Statement::Compound;
    for (const auto& child : statement.children) {
        const bool in_braces = child->kind == Statement::Declare && compound;
        const bool is_split = child->split || (!compound && child->kind == Statement::Compound) ||
                              (child->kind == Statement::If && holds_jump(tree(), *child));
        declare(*child, scope, structural && (in_braces || is_split));
    }
}

void KernelBody::bind(size_t token, int variable) {
    variable_by_token_[token] = variable;
    variables_[static_cast<size_t>(variable)].uses.push_back(token);
}

// Making such an object hands on its address, though no reference says so.
void KernelBody::mark_if_self_referential(const SyntaxNode& variable) {
    const auto entry = variable_by_declaration_.find(variable.name_token);
    if (entry != variable_by_declaration_.end() &&
        syntax_.calls().self_referential_types().contains(variable.real_type()))
        variables_[static_cast<size_t>(entry->second)].aliased = true;
}

// Binds every reference, with its use. In a template, the place of a name is known from its open form too; its use,
// from the instantiations.
void KernelBody::bind_references() {
    std::vector<NodeIndex> functions = syntax_.instances();
    if (std::find(functions.begin(), functions.end(), syntax_.structure()) == functions.end())
        functions.push_back(syntax_.structure());
    std::set<std::pair<size_t, Use>> uses;
    for (NodeIndex function : functions) {
        const bool is_template = function == syntax_.structure() && functions.size() > syntax_.instances().size();
        for (NodeIndex i = function; i < tree()[function].end; ++i) {
            if (tree()[i].kind == NodeKind::Variable) mark_if_self_referential(tree()[i]);
            const size_t declaration = syntax_.variable_of(i);
            const auto entry = variable_by_declaration_.find(declaration);
            if (entry == variable_by_declaration_.end()) continue;
            if (tree()[i].tokens.empty()) throw NotSplit(concat({"a macro uses the variable ", tree()[i].name}));
            const size_t token = tree()[i].tokens.end - 1;
            // A lambda's default capture has its reference at the brackets.
            const bool is_named = tokens().text(token) == variables_[static_cast<size_t>(entry->second)].name;
            if (is_named && !variable_by_token_.count(token)) bind(token, entry->second);
            if (is_named && variable_by_token_.at(token) != entry->second)
                throw NotSplit(concat({"one use of ", tokens().text(token), " refers to several variables"}));
            const Use use = is_template ? Use::Mention : use_of(syntax_.calls(), i);
            if (use == Use::Mention || use == Use::Read || !uses.emplace(token, use).second) continue;
            Variable& variable = variables_[static_cast<size_t>(entry->second)];
            if (std::find(variable.writes.begin(), variable.writes.end(), token) == variable.writes.end())
                variable.writes.push_back(token);
            variable.aliased = variable.aliased || use == Use::Escape;
        }
    }
    for (Variable& variable : variables_) std::sort(variable.uses.begin(), variable.uses.end());
}

// Binds names that have no reference in the tree, such as x in decltype(x).
void KernelBody::bind_unevaluated() {
    std::map<std::string_view, int> names;
    for (const Variable& variable : variables_) names[variable.name] = static_cast<int>(&variable - variables_.data());
    std::set<size_t> tree_tokens;
    for (NodeIndex i = syntax_.structure(); i < tree()[syntax_.structure()].end; ++i) {
        tree_tokens.insert(tree()[i].name_token);
        if (!tree()[i].tokens.empty() && tree()[i].kind == NodeKind::Reference)
            tree_tokens.insert(tree()[i].tokens.end - 1);
    }
    for (size_t i = kernel_.body_open; i < kernel_.body_close; ++i) {
        if (!tokens().is_identifier(i) || variable_by_token_.count(i) || tree_tokens.count(i)) continue;
        const auto entry = names.find(tokens().text(i));
        if (entry == names.end()) continue;
        const bool is_member = tokens().is(i - 1, ".") || tokens().is(i - 1, "->") || tokens().is(i - 1, "::");
        if (is_member) continue;
        if (syntax_.declarations_of(entry->first) > 1)
            throw NotSplit(concat({"an unresolved use of ", entry->first, ", which has several declarations"}));
        bind(i, entry->second);
    }
}

const Variable* KernelBody::variable_at(size_t token) const {
    const auto entry = variable_by_token_.find(token);
    return entry == variable_by_token_.end() ? nullptr : &variables_[static_cast<size_t>(entry->second)];
}
Variable* KernelBody::variable_at(size_t token) {
    return const_cast<Variable*>(static_cast<const KernelBody*>(this)->variable_at(token));
}

const Variable* KernelBody::variable_of(NodeIndex reference) const {
    const auto entry = variable_by_declaration_.find(syntax_.variable_of(reference));
    return entry == variable_by_declaration_.end() ? nullptr : &variables_[static_cast<size_t>(entry->second)];
}

}  // namespace cuda_shim
