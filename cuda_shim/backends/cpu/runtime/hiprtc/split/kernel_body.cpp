#include "hiprtc/split/kernel_body.h"

#include "hiprtc/split/soft_loops.h"

namespace cuda_shim {
namespace {

void collect_jumps(const TokenStream& tokens, const Statement& statement, bool in_loop, bool in_switch,
                   std::vector<Jump>& jumps) {
    switch (statement.kind) {
        case Statement::Return:
            jumps.push_back({statement.range.begin, Statement::Return});
            return;
        case Statement::Break:
            if (!in_loop && !in_switch) jumps.push_back({statement.range.begin, Statement::Break});
            return;
        case Statement::Continue:
            if (!in_loop) jumps.push_back({statement.range.begin, Statement::Continue});
            return;
        case Statement::Switch:
            // A switch is text: its breaks are its own, its returns leave the kernel.
            for (size_t i = statement.range.begin; i < statement.range.end; ++i) {
                if (tokens.is(i, "return")) jumps.push_back({i, Statement::Return});
                if (tokens.is(i, "continue") && !in_loop) jumps.push_back({i, Statement::Continue});
                if (!in_loop && (tokens.is(i, "for") || tokens.is(i, "while"))) throw NotSplit("a loop in a switch");
            }
            return;
        default:
            break;
    }
    for (const auto& child : statement.children)
        collect_jumps(tokens, *child, in_loop || is_loop(statement), in_switch, jumps);
}

}  // namespace

std::vector<Jump> leaving_jumps(const TokenStream& tokens, const Statement& statement) {
    std::vector<Jump> jumps;
    // Of a loop itself its own breaks and continues stay inside; those of what lies in its body do too.
    collect_jumps(tokens, statement, false, false, jumps);
    return jumps;
}

bool holds_jump(const TokenStream& tokens, const Statement& statement) {
    return !leaving_jumps(tokens, statement).empty();
}

KernelBody::KernelBody(const TranslationUnit& unit, const FunctionDeclaration& kernel, const TokenStream& tokens,
                       size_t body_open, const std::vector<Parameter>& parameters,
                       const std::set<size_t>* refused_loops)
    : unit_(unit), kernel_(kernel), tokens_(tokens), bound_(tokens.size(), -1) {
    root_ = StatementParser(tokens, unit).parse(body_open);
    if (refused_loops) soft_loops_ = mark_soft_loops(*root_, tokens, unit, *refused_loops);
    scopes_.emplace_back();
    for (const Parameter& parameter : parameters) {
        Variable variable;
        variable.kind = Variable::Parameter;
        variable.name = parameter.name;
        variable.pointer = parameter.pointer;
        variable.at_structure = true;
        declare(std::move(variable));
    }
    resolve(*root_, true);
}

const Variable* KernelBody::variable_at(size_t token) const {
    return token < bound_.size() && bound_[token] >= 0 ? &variables_[static_cast<size_t>(bound_[token])] : nullptr;
}
Variable* KernelBody::variable_at(size_t token) {
    return const_cast<Variable*>(static_cast<const KernelBody*>(this)->variable_at(token));
}

int KernelBody::declare(Variable variable) {
    const int index = static_cast<int>(variables_.size());
    scopes_.back()[variable.name] = index;
    variables_.push_back(std::move(variable));
    return index;
}

void KernelBody::resolve_range(Range range) {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (!tokens_.is_identifier(i) || !stands_alone(tokens_, i) || bound_[i] >= 0) continue;
        const std::string name(tokens_.text(i));
        for (size_t k = scopes_.size(); k-- > 0;) {
            const auto found = scopes_[k].find(name);
            if (found == scopes_[k].end()) continue;
            Variable& variable = variables_[static_cast<size_t>(found->second)];
            bound_[i] = found->second;
            variable.uses.push_back(i);
            if (is_written(tokens_, unit_, i, variable.pointer)) variable.writes.push_back(i);
            if (may_be_aliased(tokens_, unit_, i, variable.pointer)) variable.aliased = true;
            break;
        }
    }
}

// `T& r = v;` in what is understood as text only, such as a switch: v may change through r.
void KernelBody::alias_bound(Range range) {
    for (size_t i = range.begin; i + 2 < range.end; ++i) {
        const bool binds = tokens_.is(i, "&") && tokens_.is_identifier(i + 1) &&
                           (tokens_.is(i + 2, "=") || tokens_.is(i + 2, "{") || tokens_.is(i + 2, "("));
        if (!binds) continue;
        for (i += 2; i < range.end && !tokens_.is(i, ";"); ++i)
            if (Variable* target = variable_at(i)) target->aliased = true, target->writes.push_back(i);
    }
}

void KernelBody::resolve_declaration(Declaration& declaration, Range range, bool structural) {
    // In `T a = x, b = a;` each name is known from its own declarator on.
    size_t from = range.begin;
    for (Declarator& declarator : declaration.declarators) {
        resolve_range({from, declarator.name});
        Variable variable;
        variable.name = tokens_.text(declarator.name);
        variable.declaration = &declaration;
        variable.declarator = &declarator;
        variable.declared_at = declarator.name;
        variable.at_structure = structural;
        variable.pointer = declarator.bounds.empty() && declarator.pointer.find('*') != std::string::npos;
        if (declaration.kind == Declaration::Verbatim) {
            variable.kind = Variable::Fixed;
            for (size_t i = declaration.specifiers.begin; i < declarator.name; ++i)
                variable.constant = variable.constant || tokens_.is(i, "constexpr");
        }
        const size_t initial_end = std::max(declarator.initial.end, declarator.bounds.end);
        const int index = declare(std::move(variable));
        declarator.variable = index;
        bound_[declarator.name] = index;
        from = declarator.name + 1;
        // What a reference is bound to may change through it.
        if (declarator.reference && initial_end > from) {
            resolve_range({from, initial_end});
            for (size_t i = from; i < initial_end; ++i)
                if (Variable* target = variable_at(i)) target->aliased = true, target->writes.push_back(i);
            from = initial_end;
        }
    }
    resolve_range({from, range.end});
}

void KernelBody::resolve(Statement& statement, bool structural) {
    scopes_.emplace_back();
    switch (statement.kind) {
        case Statement::Compound:
            for (auto& child : statement.children) {
                // Declarations belong to this scope, everything else makes its own.
                if (child->kind == Statement::Declare)
                    resolve_declaration(*child->declaration, child->range, structural);
                else
                    resolve(*child, structural && (child->split ||
                                                   (child->kind == Statement::If && holds_jump(tokens_, *child))));
            }
            break;
        case Statement::Switch:
            // Names declared inside could hide others, and are not followed.
            resolve_range(statement.range);
            alias_bound(statement.range);
            break;
        case Statement::RangeFor: {
            const size_t body = statement.children[0]->range.begin;
            Variable element;
            size_t colon = statement.range.begin;
            while (colon < body && !tokens_.is(colon, ":")) ++colon;
            resolve_range({colon, body});
            element.name = tokens_.text(colon - 1);
            element.declared_at = colon - 1;
            declare(std::move(element));
            resolve(*statement.children[0], false);
            break;
        }
        default:
            if (statement.declaration) {
                const Range range = statement.kind == Statement::For ? statement.init : statement.range;
                resolve_declaration(*statement.declaration, range, structural);
            } else {
                resolve_range(statement.init);
            }
            resolve_range(statement.condition);
            resolve_range(statement.step);
            if (statement.children.empty()) {
                resolve_range(statement.range);
                if (statement.kind == Statement::Other) alias_bound(statement.range);
            }
            for (auto& child : statement.children)
                resolve(*child, structural && (child->kind == Statement::Compound || child->split ||
                                               (child->kind == Statement::If && holds_jump(tokens_, *child))));
            break;
    }
    scopes_.pop_back();
}

}  // namespace cuda_shim
