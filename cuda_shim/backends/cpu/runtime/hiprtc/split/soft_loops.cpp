#include "hiprtc/split/soft_loops.h"

#include <stdlib.h>

#include <algorithm>

#include "hiprtc/split/kernel_body.h"
#include "hiprtc/split/lane_loops.h"
#include "hiprtc/split/uniformity.h"
#include "hiprtc/split/written_names.h"

namespace cuda_shim {
namespace {

// Compilers unroll shorter loops of constant length, and vectorise across threads then.
constexpr long kLongConstantTrip = 48;
// With fewer, reading and writing them costs less than what is computed.
constexpr int kFewestKeptForStrips = 3;

bool mentions(const TokenStream& tokens, Range range, std::string_view word) {
    for (size_t i = range.begin; i < range.end; ++i)
        if (tokens.is(i, word)) return true;
    return false;
}

bool has_loop(const Statement& statement) {
    return is_loop(statement) || std::any_of(statement.children.begin(), statement.children.end(),
                                             [](const auto& child) { return has_loop(*child); });
}

bool is_integer_word(std::string_view word) {
    static const std::set<std::string_view> words = {"int",     "unsigned", "signed",   "long",  "short",     "char",
                                                     "const",   "size_t",   "uint",     "ulong", "ptrdiff_t", "int32_t",
                                                     "int64_t", "uint32_t", "uint64_t", "std",   "::"};
    return words.count(word) != 0;
}

class Marker {
public:
    Marker(const TokenStream& tokens, const TranslationUnit& unit, const std::set<size_t>& refused)
        : tokens_(tokens), unit_(unit), refused_(refused) {}

    bool mark(Statement& statement) {
        switch (statement.kind) {
            case Statement::Compound:
                return mark_children(statement);
            case Statement::If:
                if (!statement.split && (holds_jump(tokens_, statement) || statement.constexpr_if)) return false;
                return mark_children(statement);
            case Statement::For:
                return mark_loop(statement);
            case Statement::While:
            case Statement::DoWhile:
                if (statement.split) {
                    mark_children(statement);
                    return true;
                }
                return mark_lanes(statement);
            default:
                return statement.split;
        }
    }

    std::vector<const Statement*> marked;

private:
    bool mark_children(Statement& statement) {
        bool any = false;
        for (auto& child : statement.children) any = mark(*child) || any;
        statement.split = statement.split || any;
        return statement.split;
    }

    bool mark_loop(Statement& loop) {
        if (loop.split) {
            mark_children(loop);
            return true;
        }
        if (mark_lanes(loop)) return true;
        if (refused_.count(loop.range.begin) || loop.condition.empty() || loop.step.empty() || holds_own_jump(loop))
            return false;
        if (may_wait(loop)) return false;
        const bool inside = mark_children(loop);
        if (!inside && has_loop(*loop.children[0])) return false;  // a loop in there stays whole: so does the nest
        if (!inside && !is_long(loop)) return false;
        loop.split = true;
        marked.push_back(&loop);
        return true;
    }

    // Threads may wait for each other in such loops by themselves.
    bool may_wait(const Statement& statement) const {
        if (mentions(tokens_, statement.range, "atomicCAS") || mentions(tokens_, statement.range, "atomicExch"))
            return true;
        if (statement.kind == Statement::While || statement.kind == Statement::DoWhile)
            return !only_computes(statement, tokens_, unit_);
        return std::any_of(statement.children.begin(), statement.children.end(),
                           [&](const auto& child) { return may_wait(*child); });
    }

    // Not yet known: whether threads leave it one by one. If not, it is asked again as any other.
    bool mark_lanes(Statement& loop) {
        const bool short_one = loop.kind == Statement::For && !loop.condition.empty() && !is_long(loop);
        if (short_one || refused_.count(loop.range.begin) || !only_computes(loop, tokens_, unit_)) return false;
        loop.split = true;
        marked.push_back(&loop);
        return true;
    }

    static bool holds_own_jump(const Statement& loop) { return holds_jump_out(*loop.children[0], false); }
    static bool holds_jump_out(const Statement& statement, bool in_loop) {
        if (statement.kind == Statement::Return || statement.kind == Statement::Switch) return true;
        if (statement.kind == Statement::Break || statement.kind == Statement::Continue) return !in_loop;
        return std::any_of(statement.children.begin(), statement.children.end(),
                           [&](const auto& child) { return holds_jump_out(*child, in_loop || is_loop(statement)); });
    }

    // The number of rounds is known only when the kernel runs, or is a large number.
    bool is_long(const Statement& loop) const {
        std::set<std::string> own;
        if (loop.declaration)
            for (const Declarator& declarator : loop.declaration->declarators)
                own.emplace(tokens_.text(declarator.name));
        for (size_t i = loop.init.begin; i < loop.step.end; ++i) {
            if (tokens_[i].kind == Token::Identifier) {
                const std::string word(tokens_.text(i));
                if (!own.count(word) && !is_builtin_type(word) && word != "const" && !unit_.constants().count(word))
                    return true;
            }
            const bool bound = i >= loop.condition.begin && i < loop.condition.end;
            if (bound && tokens_[i].kind == Token::Number &&
                atol(std::string(tokens_.text(i)).c_str()) > kLongConstantTrip)
                return true;
        }
        return false;
    }

    const TokenStream& tokens_;
    const TranslationUnit& unit_;
    const std::set<size_t>& refused_;
};

}  // namespace

std::vector<const Statement*> mark_soft_loops(Statement& root, const TokenStream& tokens, const TranslationUnit& unit,
                                              const std::set<size_t>& refused) {
    Marker marker(tokens, unit, refused);
    marker.mark(root);
    return marker.marked;
}

StridedLoop as_strided(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    StridedLoop strided;
    const TokenStream& tokens = body.tokens();
    if (loop.kind != Statement::For || !loop.declaration || loop.declaration->declarators.size() != 1) return strided;
    const Declarator& declarator = loop.declaration->declarators[0];
    const Variable& variable = body.variables()[static_cast<size_t>(declarator.variable)];
    if (declarator.initialiser != Declarator::Assigned || !declarator.pointer.empty() || loop.declaration->is_auto ||
        variable.is_array() || variable.aliased || variable.writes.size() != 1)
        return strided;
    for (size_t i = loop.declaration->specifiers.begin; i < loop.declaration->specifiers.end; ++i)
        if (!is_integer_word(tokens.text(i))) return strided;  // sums of floating point numbers are no products
    // i < bound
    const size_t compared = loop.condition.begin;
    if (body.variable_at(compared) != &variable || !(tokens.is(compared + 1, "<") || tokens.is(compared + 1, "<=")))
        return strided;
    const Range bound{compared + 2, loop.condition.end};
    // i += stride, the only place where it changes
    const size_t stepped = loop.step.begin;
    if (body.variable_at(stepped) != &variable || !tokens.is(stepped + 1, "+=") || variable.writes[0] != stepped)
        return strided;
    const Range stride{stepped + 2, loop.step.end};
    auto stable = [&](Range range) { return uniformity.is_uniform(range) && uniformity.is_recomputable(range); };
    if (!stable(bound) || !stable(stride) || !uniformity.is_recomputable(declarator.initial)) return strided;
    strided.is = true;
    strided.variable = declarator.variable;
    strided.initial = declarator.initial;
    strided.bound = bound;
    strided.stride = stride;
    return strided;
}

bool strided_whole(const TokenStream& tokens, const Statement& loop) {
    return !loop.children[0]->split && !holds_jump(tokens, *loop.children[0]);
}

bool worth_strips(const Statement& loop, const KernelBody& body) {
    if (loop.kind != Statement::For || !loop.declaration) return false;
    if (std::count(body.soft_loops().begin(), body.soft_loops().end(), &loop) == 0) return false;
    for (const Statement* statement : loop.children[0]->statements()) {
        const bool plain = statement->kind == Statement::Expression || statement->kind == Statement::Declare;
        if (!plain || statement->split) return false;
    }
    int kept = 0;
    for (const Variable& variable : body.variables()) {
        const auto inside = [&](size_t token) { return token >= loop.range.begin && token < loop.range.end; };
        if (inside(variable.declared_at) && !variable.per_thread) continue;
        // What the block changes in the loop would change once for every strip.
        if (!variable.varying && std::any_of(variable.writes.begin(), variable.writes.end(), inside)) return false;
        if (!variable.per_thread || std::none_of(variable.uses.begin(), variable.uses.end(), inside)) continue;
        if (variable.is_array()) return false;
        ++kept;
    }
    return kept >= kFewestKeptForStrips;
}

bool keeps_soft(const Statement& loop, const KernelBody& body, const Uniformity& uniformity) {
    if (is_lane_loop(loop, body, uniformity)) return true;
    if (loop.kind != Statement::For || loop.condition.empty() || loop.step.empty() ||
        holds_jump(body.tokens(), *loop.children[0]))
        return false;
    // A local array that lives across rounds would be strided in memory for neighbouring threads.
    for (const Variable& variable : body.variables()) {
        if (!variable.is_array() || variable.kind != Variable::Local) continue;
        if (variable.declared_at >= loop.range.begin && variable.declared_at < loop.range.end) continue;
        for (size_t use : variable.uses)
            if (use >= loop.range.begin && use < loop.range.end) return false;
    }
    return uniformity.goes_round_together(loop) || as_strided(loop, body, uniformity).is;
}

}  // namespace cuda_shim
