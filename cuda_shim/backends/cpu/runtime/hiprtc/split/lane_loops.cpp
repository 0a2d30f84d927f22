#include "hiprtc/split/lane_loops.h"

#include <algorithm>
#include <array>

#include "hiprtc/split/kernel_body.h"
#include "hiprtc/split/soft_loops.h"
#include "hiprtc/split/uniformity.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

// Functions that compilers have instructions for which work on all lanes.
bool is_lane_function(std::string_view word) {
    static constexpr std::array<std::string_view, 28> words = {
        "min",   "max",   "abs",    "fabs",      "fabsf",     "fmin",      "fminf",       "fmax",  "fmaxf",  "fma",
        "fmaf",  "sqrt",  "sqrtf",  "floor",     "floorf",    "ceil",      "ceilf",       "trunc", "truncf", "rint",
        "rintf", "rsqrt", "rsqrtf", "__fmul_rn", "__fadd_rn", "__fmaf_rn", "static_cast", "sizeof"};
    return one_of(word, words);
}

bool is_lane_word(const TokenStream& tokens, const TranslationUnit& unit, size_t at) {
    static constexpr std::array<std::string_view, 14> words = {"if",    "else",      "for",      "while",   "do",
                                                               "break", "continue",  "return",   "const",   "true",
                                                               "false", "threadIdx", "blockIdx", "blockDim"};
    const std::string_view word = tokens.text(at);
    if (tokens.is(at + 1, "(")) return one_of(word, words) || is_lane_function(word) || is_builtin_type(word);
    if (tokens.is(at + 1, "::") || (at > 0 && tokens.is(at - 1, "::"))) return false;
    return std::none_of(unit.variables().begin(), unit.variables().end(),
                        [&](const VariableDeclaration& variable) { return variable.name == word; });
}

bool holds_only_arithmetic(Range range, const TokenStream& tokens, const TranslationUnit& unit) {
    for (size_t i = range.begin; i < range.end; ++i) {
        const Token::Kind kind = tokens[i].kind;
        if (kind == Token::Identifier) {
            const bool builtin_member = i > 1 && tokens.is(i - 1, ".") &&
                                        (tokens.is(i - 2, "threadIdx") || tokens.is(i - 2, "blockIdx") ||
                                         tokens.is(i - 2, "blockDim") || tokens.is(i - 2, "gridDim"));
            if (i > 0 && tokens.is(i - 1, ".") && !builtin_member) return false;
            if (!is_lane_word(tokens, unit, i)) return false;
            continue;
        }
        if (kind == Token::Number) continue;
        if (kind == Token::String || kind == Token::Directive) return false;
        const std::string_view sign = tokens.text(i);
        if (sign == "[" || sign == "->" || sign == "::" || sign == "%") return false;
        if ((sign == "*" || sign == "&") && is_unary(tokens, i, range.begin)) return false;
    }
    return true;
}

bool holds_only_plain_statements(const Statement& statement) {
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
                               [](const auto& child) { return holds_only_plain_statements(*child); });
        default:
            return false;
    }
}

// Is the statement, with those in it, only arithmetic? `loops`: counts the loops that only compute.
bool is_arithmetic_throughout(const Statement& statement, const TokenStream& tokens, const TranslationUnit& unit,
                              int& loops) {
    if (statement.kind == Statement::Pragma) return true;
    if (is_loop(statement)) return ++loops, only_computes(statement, tokens, unit);
    if (statement.kind != Statement::Compound && statement.kind != Statement::If)
        return holds_only_plain_statements(statement) && holds_only_arithmetic(statement.range, tokens, unit);
    return !statement.constexpr_if && holds_only_arithmetic(statement.condition, tokens, unit) &&
           std::all_of(statement.children.begin(), statement.children.end(),
                       [&](const auto& child) { return is_arithmetic_throughout(*child, tokens, unit, loops); });
}

bool is_number(const Variable& variable, const TokenStream& tokens) {
    if (variable.kind == Variable::Parameter) return !variable.pointer;
    if (variable.is_array() || variable.is_reference() || variable.pointer || !variable.declaration) return false;
    const Range specifiers = variable.declaration->specifiers;
    for (size_t i = specifiers.begin; i < specifiers.end; ++i)
        if (!is_builtin_type(tokens.text(i)) && !tokens.is(i, "const")) return false;
    return true;
}

}  // namespace

bool only_computes(const Statement& loop, const TokenStream& tokens, const TranslationUnit& unit) {
    return is_loop(loop) && loop.kind != Statement::RangeFor && holds_only_plain_statements(*loop.children[0]) &&
           holds_only_arithmetic(loop.range, tokens, unit);
}

bool computes_alone(const FunctionDeclaration& function, const TranslationUnit& unit) {
    if (!function.defined() || function.kernel || function.method || !function.template_head.empty()) return false;
    const TokenStream& tokens = unit.tokens();
    // Numbers come in, and one goes out.
    for (size_t i = function.first; i < function.parameters_close; ++i)
        if (tokens.is(i, "*") || tokens.is(i, "&") || tokens.is(i, "[") || tokens.is(i, "void")) return false;
    try {
        int loops = 0;
        const std::unique_ptr<Statement> body = StatementParser(tokens, unit).parse(function.body_open);
        return is_arithmetic_throughout(*body, tokens, unit, loops) && loops > 0;
    } catch (const NotSplit&) {
        return false;
    }
}

bool is_lane_loop(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    if (!only_computes(loop, body.tokens(), body.unit())) return false;
    if (uniformity.goes_round_together(loop) || as_strided(loop, body, uniformity).is) return false;
    const auto all = [&](size_t token) { return token >= loop.range.begin && token < loop.range.end; };
    const Range own = loop.children[0]->range;
    const auto in_body = [&](size_t token) { return token >= own.begin && token < own.end; };
    for (const Variable& variable : body.variables()) {
        // Taking the loop apart would keep an array around it for every thread of the block.
        const bool own_array = variable.kind == Variable::Local && variable.is_array();
        if (own_array && variable.declared_at < loop.range.begin && !variable.uses.empty()) return false;
        if (std::none_of(variable.uses.begin(), variable.uses.end(), all)) continue;
        if (variable.kind == Variable::Fixed && variable.constant) continue;
        if (variable.kind == Variable::Fixed || variable.aliased || !is_number(variable, body.tokens())) return false;
        // What the block changes would change once for every few threads, or for each of them.
        if (variable.varying || in_body(variable.declared_at)) continue;
        const std::vector<size_t>& writes = variable.writes;
        const bool counts_rounds = all(variable.declared_at);
        if (counts_rounds ? std::any_of(writes.begin(), writes.end(), in_body)
                          : std::any_of(writes.begin(), writes.end(), all))
            return false;
    }
    return true;
}

}  // namespace cuda_shim
