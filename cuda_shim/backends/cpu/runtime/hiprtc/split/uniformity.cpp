#include "hiprtc/split/uniformity.h"

#include <algorithm>
#include <array>

#include "hiprtc/split/written_names.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool is_same_for_block(std::string_view word) {
    static constexpr std::array<std::string_view, 10> words = {"blockIdx",
                                                               "blockDim",
                                                               "gridDim",
                                                               "cuda_shim_block_index",
                                                               "cuda_shim_block_dim",
                                                               "cuda_shim_grid_dim",
                                                               "warpSize",
                                                               "true",
                                                               "false",
                                                               "nullptr"};
    return one_of(word, words) || word.compare(0, 13, "hipBlockIdx_x") == 0 ||
           word.compare(0, 11, "hipBlockDim") == 0 || word.compare(0, 11, "hipBlockIdx") == 0 ||
           word.compare(0, 10, "hipGridDim") == 0;
}

// Functions whose result depends on their arguments alone.
bool is_pure_function(std::string_view word) {
    static constexpr std::array<std::string_view, 24> words = {"min",         "max",
                                                               "abs",         "sizeof",
                                                               "static_cast", "umin",
                                                               "umax",        "__clz",
                                                               "__popc",      "__ffs",
                                                               "__mul24",     "__umul24",
                                                               "fmin",        "fmax",
                                                               "fminf",       "fmaxf",
                                                               "floorf",      "ceilf",
                                                               "log2f",       "sqrtf",
                                                               "__log2f",     "cuda_shim_dynamic_shared",
                                                               "alignof",     "__brev"};
    return one_of(word, words);
}

bool is_member(const TokenStream& tokens, size_t at) { return at > 0 && tokens.is(at - 1, "."); }

// Could computing the expression divide by zero? A thread that does not come there must not compute it then.
bool may_trap(const TokenStream& tokens, const TranslationUnit& unit, Range expression) {
    for (size_t i = expression.begin; i + 1 < expression.end; ++i) {
        if (!tokens.is(i, "/") && !tokens.is(i, "%")) continue;
        const std::string_view divisor = tokens.text(i + 1);
        if (tokens[i + 1].kind != Token::Number && !is_same_for_block(divisor) &&
            !unit.constants().count(std::string(divisor)))
            return true;
    }
    return false;
}

}  // namespace

Uniformity::Uniformity(KernelBody& body) : body_(body), tokens_(body.tokens()), unit_(body.unit()) {
    for (Variable& variable : body_.variables()) {
        const bool local = variable.kind == Variable::Local;
        const bool own =
            local && (!variable.at_structure || variable.is_array() || variable.is_reference() || !variable.declarator);
        if (own || (variable.aliased && (local || variable.kind == Variable::Parameter))) variable.varying = true;
    }
    while (visit(body_.root(), 0)) {
    }
}

bool Uniformity::mark(Variable& variable) {
    if (variable.varying || variable.kind == Variable::Fixed) return false;
    variable.varying = true;
    return true;
}

bool Uniformity::mark_writes(Range range) {
    bool grown = false;
    for (Variable& variable : body_.variables())
        for (size_t write : variable.writes)
            if (write >= range.begin && write < range.end) grown = mark(variable) || grown;
    return grown;
}

// Variables declared inside what turned out to be one thread's code.
bool Uniformity::mark_declared(Range range) {
    bool grown = false;
    for (Variable& variable : body_.variables())
        if (variable.declarator && variable.declared_at >= range.begin && variable.declared_at < range.end)
            grown = mark(variable) || grown;
    return grown;
}

bool Uniformity::is_structural(const Statement& statement) const {
    if (statement.split) return true;
    return statement.kind == Statement::If && (statement.constexpr_if || is_uniform(statement.condition)) &&
           holds_jump(tokens_, statement);
}

bool Uniformity::visit(const Statement& statement, int divergence) {
    if (statement.kind == Statement::Compound) {
        bool grown = false;
        for (const auto& child : statement.children) {
            // Braces around nothing that is taken apart are copied whole, and each thread runs what they hold.
            const bool whole = child->kind == Statement::Compound && !child->split;
            grown = (whole ? visit_whole(*child) : visit(*child, divergence)) || grown;
        }
        return grown;
    }
    if (statement.kind == Statement::Declare) return visit_declaration(*statement.declaration, divergence);
    if (statement.kind == Statement::Expression && !statement.split)
        return visit_expression({statement.range.begin, statement.range.end - 1}, divergence);
    if (!is_structural(statement)) return visit_whole(statement);
    switch (statement.kind) {
        case Statement::If: {
            bool grown = mark_writes(statement.condition);
            const int inside = divergence + (statement.constexpr_if || is_uniform(statement.condition) ? 0 : 1);
            for (const auto& child : statement.children) grown = visit(*child, inside) || grown;
            return grown;
        }
        case Statement::For:
        case Statement::While:
        case Statement::DoWhile:
            return visit_loop(statement, divergence);
        default:
            return mark_writes(statement.range);  // warp operations: what they give differs
    }
}

bool Uniformity::visit_whole(const Statement& statement) {
    const bool grown = mark_writes(statement.range);
    return mark_declared(statement.range) || grown;
}

bool Uniformity::visit_declaration(const Declaration& declaration, int divergence) {
    if (declaration.kind == Declaration::Verbatim) return false;
    bool grown = false;
    for (const Declarator& declarator : declaration.declarators) {
        Variable& variable = body_.variables()[static_cast<size_t>(declarator.variable)];
        variable.divergence = divergence;
        grown = mark_writes(declarator.initial) || grown;
        const bool plain = declarator.initialiser == Declarator::None || declarator.initialiser == Declarator::Assigned;
        const bool guarded = divergence > 0 && may_trap(tokens_, unit_, declarator.initial);
        if (!plain || guarded || (!declarator.initial.empty() && !is_uniform(declarator.initial)))
            grown = mark(variable) || grown;
    }
    return grown;
}

bool Uniformity::visit_expression(Range expression, int divergence) {
    if (is_uniform_assignment(expression)) {
        // The target is the variable that is written; at a different depth only some threads come here.
        bool grown = false;
        for (size_t i = expression.begin; i < expression.end; ++i)
            if (Variable* variable = body_.variable_at(i))
                if (is_written(tokens_, unit_, i, variable->pointer) &&
                    (variable->divergence != divergence || (divergence > 0 && may_trap(tokens_, unit_, expression))))
                    grown = mark(*variable) || grown;
        return grown;
    }
    return mark_writes(expression);
}

bool Uniformity::visit_loop(const Statement& loop, int divergence) {
    const int inside = divergence + (goes_round_together(loop) ? 0 : 1);
    bool grown = false;
    if (loop.declaration)
        grown = visit_declaration(*loop.declaration, inside);
    else if (!loop.init.empty())
        grown = visit_expression(loop.init, divergence);
    grown = mark_writes(loop.condition) || grown;
    for (const Range& part : parts(loop.step)) grown = visit_expression(part, inside) || grown;
    for (const auto& child : loop.children) grown = visit(*child, inside) || grown;
    return grown;
}

std::vector<Range> Uniformity::parts(Range range) const {
    std::vector<Range> found;
    size_t begin = range.begin;
    for (size_t i = range.begin; i < range.end; ++i) {
        if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{"))
            i = tokens_.closing(i);
        else if (tokens_.is(i, ","))
            found.push_back({begin, i}), begin = i + 1;
    }
    if (begin < range.end) found.push_back({begin, range.end});
    return found;
}

bool Uniformity::has_uniform_header(const Statement& loop) const {
    if (!is_uniform(loop.condition) || !is_uniform_step(loop.step)) return false;
    if (loop.declaration) {
        for (const Declarator& declarator : loop.declaration->declarators)
            if (body_.variables()[static_cast<size_t>(declarator.variable)].varying) return false;
        return true;
    }
    return is_uniform_step(loop.init);
}

bool Uniformity::is_uniform_step(Range step) const {
    for (const Range& part : parts(step))
        if (!is_uniform_assignment(part)) return false;
    return true;
}

bool Uniformity::goes_round_together(const Statement& loop) const {
    return has_uniform_header(loop) && !has_divergent_jump(loop);
}

bool Uniformity::has_divergent_jump(const Statement& loop) const { return divergent_jump_in(*loop.children[0], false); }

// Is there a break or continue, for the loop around, that not all threads take which are in the loop?
bool Uniformity::divergent_jump_in(const Statement& statement, bool diverged) const {
    if (statement.kind == Statement::Break || statement.kind == Statement::Continue) return diverged;
    if (statement.kind == Statement::For || statement.kind == Statement::While ||
        statement.kind == Statement::DoWhile || statement.kind == Statement::RangeFor)
        return false;  // its own
    if (statement.kind == Statement::Switch) {
        for (const Jump& jump : leaving_jumps(tokens_, statement))
            if (jump.kind != Statement::Return) return true;
        return false;
    }
    const bool apart = statement.kind == Statement::If &&
                       !(is_structural(statement) && (statement.constexpr_if || is_uniform(statement.condition)));
    for (const auto& child : statement.children)
        if (divergent_jump_in(*child, diverged || apart)) return true;
    return false;
}

bool Uniformity::is_uniform_word(size_t at) const {
    const std::string_view word = tokens_.text(at);
    if (const Variable* variable = body_.variable_at(at)) {
        if (variable->kind == Variable::Fixed) return variable->constant;
        return !variable->varying;
    }
    if (is_same_for_block(word) || is_builtin_type(word) || word == "const") return true;
    if (tokens_.is(at + 1, "(") || tokens_.is(at + 1, "<")) return is_pure_function(word);
    return unit_.constants().count(std::string(word)) || unit_.is_constant_memory(std::string(word)) ||
           body_.kernel().template_parameters.count(std::string(word));
}

bool Uniformity::is_uniform(Range expression) const {
    for (size_t i = expression.begin; i < expression.end; ++i) {
        const Token::Kind kind = tokens_[i].kind;
        if (kind == Token::Number) continue;
        if (kind == Token::String || kind == Token::Directive) return false;
        if (kind == Token::Identifier) {
            if (is_member(tokens_, i)) {
                if (tokens_.is(i + 1, "(")) return false;  // a method may read memory
                continue;                                  // of a uniform structure, as its name was found to be
            }
            if (!is_uniform_word(i)) return false;
            continue;
        }
        const std::string_view sign = tokens_.text(i);
        if (sign == "[" || sign == "->" || sign == "{" || sign == "++" || sign == "--") return false;
        if ((sign == "*" || sign == "&") && is_unary(tokens_, i, expression.begin)) {
            // In a cast, "(float*)", the star ends a type.
            if (!(sign == "*" && tokens_.is(i + 1, ")"))) return false;
        }
        if (is_assignment(tokens_, i)) return false;
    }
    return true;
}

bool Uniformity::is_uniform_assignment(Range expression) const {
    if (expression.empty()) return false;
    size_t at = expression.begin;
    const bool before = tokens_.is(at, "++") || tokens_.is(at, "--");
    if (before) ++at;
    const Variable* target = body_.variable_at(at);
    if (!target || target->varying || target->kind == Variable::Fixed || !target->at_structure) return false;
    ++at;
    if (before) return at == expression.end;
    if (tokens_.is(at, "++") || tokens_.is(at, "--")) return at + 1 == expression.end;
    if (!is_assignment(tokens_, at)) return false;
    at += tokens_.is(at, ">") ? 2 : 1;
    return at < expression.end && is_uniform({at, expression.end});
}

bool Uniformity::is_recomputable(Range expression) const {
    if (expression.empty() || expression.end - expression.begin > 40 || may_trap(tokens_, unit_, expression))
        return false;
    for (size_t i = expression.begin; i < expression.end; ++i) {
        if (tokens_[i].kind != Token::Identifier || is_member(tokens_, i)) continue;
        const Variable* variable = body_.variable_at(i);
        if (!variable) {
            const std::string_view word = tokens_.text(i);
            if (word == "threadIdx" || word.compare(0, 13, "hipThreadIdx_") == 0) continue;
            if (!is_uniform_word(i)) return false;
            continue;
        }
        // Never changed again, and made of the like.
        if (variable->kind == Variable::Fixed) {
            if (!variable->constant) return false;
            continue;
        }
        if (!variable->writes.empty() || variable->aliased) return false;
        if (variable->kind == Variable::Local && variable->varying && !variable->recomputed) return false;
    }
    // The signs that is_uniform refuses are refused here too.
    for (size_t i = expression.begin; i < expression.end; ++i) {
        const std::string_view sign = tokens_.text(i);
        if (tokens_[i].kind == Token::String || sign == "[" || sign == "->" || sign == "{" || sign == "++" ||
            sign == "--" || sign == "=" ||
            (sign.size() > 1 && sign.back() == '=' && sign != "==" && sign != "<=" && sign != ">=" && sign != "!="))
            return false;
        if ((sign == "*" || sign == "&") && is_unary(tokens_, i, expression.begin) &&
            !(sign == "*" && tokens_.is(i + 1, ")")))
            return false;
        if (is_member(tokens_, i) && tokens_.is(i + 1, "(")) return false;
    }
    return true;
}

}  // namespace cuda_shim
