#include "hiprtc/waiting.h"

#include <algorithm>
#include <array>

#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool is_type_word(std::string_view word) {
    static constexpr std::array<std::string_view, 14> words = {"int",    "unsigned", "signed", "char",  "short",
                                                               "long",   "float",    "double", "bool",  "const",
                                                               "struct", "void",     "auto",   "static"};
    return one_of(word, words);
}

bool is_zero(std::string_view number) { return number.find_first_not_of("0.xuUlLf") == std::string_view::npos; }

// Where the compiler reads memory anew: behind it, any read is a look.
bool is_fence(std::string_view word) {
    return starts_with(word, "__threadfence") || word == "__nanosleep" || word == "asm" || word == "__asm__";
}

// Behind the statement that begins at a token; `end` at most.
size_t statement_end(const TokenStream& tokens, size_t i, size_t end) {
    const auto behind = [&](size_t open) {
        const size_t close = tokens.closing(open);
        return close == TokenStream::npos || close >= end ? end : close + 1;
    };
    while (i < end && (tokens[i].kind == Token::Directive || (tokens.is(i, "[") && tokens.is(i + 1, "["))))
        i = tokens.is(i, "[") ? behind(i) : i + 1;
    if (i >= end) return end;
    if (tokens.is(i, "{")) return behind(i);
    if (tokens.is(i, "do")) {
        const size_t condition = statement_end(tokens, i + 1, end) + 1;  // behind `while`
        return condition < end ? std::min(end, behind(condition) + 1) : end;
    }
    if (tokens.is(i, "if") || tokens.is(i, "for") || tokens.is(i, "while") || tokens.is(i, "switch")) {
        const bool conditional = tokens.is(i, "if");
        while (i < end && !tokens.is(i, "(")) ++i;
        i = statement_end(tokens, i < end ? behind(i) : end, end);
        return conditional && tokens.is(i, "else") ? statement_end(tokens, i + 1, end) : i;
    }
    if (tokens.is_identifier(i) && tokens.is(i + 1, ":")) return statement_end(tokens, i + 2, end);  // a label
    for (; i < end; ++i) {
        if (tokens.is(i, ";")) return i + 1;
        if (tokens.is(i, ")") || tokens.is(i, "]") || tokens.is(i, "}")) return i;  // of what is around it
        const size_t close = tokens.closing(i);
        if (close != TokenStream::npos && close > i) i = close;
    }
    return end;
}

}  // namespace

struct Waiting::Loop {
    size_t begin, end;                      // the whole statement
    size_t condition_begin, condition_end;  // of a for: between the semicolons
    size_t body_begin, body_end;
};

Waiting::Waiting(const TranslationUnit& unit) : unit_(unit), tokens_(unit.tokens()) {
    find_volatile_names();
    find_looking_functions();
    for (const FunctionDeclaration& function : unit_.functions())
        if (function.defined()) find_places(function);
    find_spinning_functions();
}

bool Waiting::may_wait(const FunctionDeclaration& kernel) const {
    for (const SpinningPlace& place : places_)
        if (place.begin > kernel.body_open && place.begin < kernel.body_close) return true;
    for (size_t i = kernel.body_open; i < kernel.body_close; ++i)
        if (tokens_.is_identifier(i) &&
            (spinning_.count(std::string(tokens_.text(i))) || (every_call_may_spin_ && tokens_.is(i + 1, "("))))
            return true;
    return false;
}

// `volatile int *a, b;`, `typedef volatile int flag;`, `using flag = volatile int;`, `auto* p = (volatile int*)q;`
void Waiting::find_volatile_names() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
        const bool alias = is_volatile_name(i);
        const bool atomic = tokens_.is(i, "atomic") || tokens_.is(i, "atomic_ref") || tokens_.is(i, "atomic_flag");
        if (!tokens_.is(i, "volatile") && !alias && !atomic) continue;
        if (i > 0 && (tokens_.is(i - 1, "asm") || tokens_.is(i - 1, "__asm__"))) continue;
        const auto add = [&](size_t name) {
            if (!tokens_.is_identifier(name) || is_type_word(tokens_.text(name))) return;
            SpinningPlace scope = {0, tokens_.size()};
            for (const FunctionDeclaration& function : unit_.functions())
                if (function.defined() && i > function.first && i < function.body_close)
                    scope = {function.first, function.body_close};
            volatile_names_.emplace(std::string(tokens_.text(name)), scope);
        };
        if (!alias)
            for (size_t k = i; k > 0 && !tokens_.is(k, ";") && !tokens_.is(k, "{") && !tokens_.is(k, "}"); --k)
                if (tokens_.is(k, "=")) add(k - 1);
        size_t name = TokenStream::npos, first = i + 1;
        if (tokens_.is(first, "<")) {
            const size_t close = tokens_.closing_angle(first, tokens_.size());
            if (close != TokenStream::npos) first = close + 1;
        }
        for (size_t k = first; k < tokens_.size(); ++k) {
            if (tokens_.is_identifier(k) && !is_type_word(tokens_.text(k))) {
                name = k;
            } else if (!tokens_.is_identifier(k) && !tokens_.is(k, "*") && !tokens_.is(k, "&")) {
                // Only a name that is declared stands behind the type: `flag* p`, not `flag == 0`.
                const bool ends = tokens_.is(k, ",") || tokens_.is(k, ";") || tokens_.is(k, ")") ||
                                  tokens_.is(k, "=") || tokens_.is(k, "[") || tokens_.is(k, "{") || tokens_.is(k, "(");
                if (name != TokenStream::npos && ends) add(name);
                size_t next = k + 1;
                while (tokens_.is(next, "*")) ++next;
                const bool more = tokens_.is(k, ",") && tokens_.is_identifier(next) &&
                                  (tokens_.is(next + 1, ",") || tokens_.is(next + 1, ";") || tokens_.is(next + 1, "="));
                if (!more) break;
                name = TokenStream::npos;
            }
        }
    }
}

bool Waiting::is_volatile_name(size_t i) const {
    if (!tokens_.is_identifier(i)) return false;
    const auto range = volatile_names_.equal_range(std::string(tokens_.text(i)));
    return std::any_of(range.first, range.second,
                       [&](const auto& one) { return i >= one.second.begin && i < one.second.end; });
}

// Does the token begin a look at memory that others may write?
bool Waiting::looks_at(size_t i) const {
    const std::string_view word = tokens_.text(i);
    if (word == "volatile") return true;
    if (!tokens_.is_identifier(i)) return false;
    if (is_volatile_name(i) || looking_.count(std::string(word))) return true;
    if (word == "asm" || word == "__asm__" || word == "__ldcv" || word == "__ldcg" || word == "atomic_ref") return true;
    if (starts_with(word, "__atomic_") || starts_with(word, "__sync_") || word == "load" || word == "test_and_set")
        return word != "load" || tokens_.is(i + 1, "(");
    if (!starts_with(word, "atomic")) return false;
    // A counter that the loop itself moves on ends it: tickets and queues of work.
    const bool counts = starts_with(word, "atomicAdd") || starts_with(word, "atomicSub") ||
                        starts_with(word, "atomicInc") || starts_with(word, "atomicDec");
    const size_t close = counts ? tokens_.closing(i + 1) : TokenStream::npos;
    if (close == TokenStream::npos) return true;
    return tokens_[close - 1].kind == Token::Number && tokens_.is(close - 2, ",") && is_zero(tokens_.text(close - 1));
}

bool Waiting::looks(size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i)
        if (looks_at(i)) return true;
    return false;
}

bool Waiting::mentions(size_t begin, size_t end, const std::set<std::string>& names) const {
    for (size_t i = begin; i < end; ++i)
        if (tokens_.is_identifier(i) && names.count(std::string(tokens_.text(i)))) return true;
    return false;
}

void Waiting::find_looking_functions() {
    for (bool grown = true; grown;) {
        grown = false;
        for (const FunctionDeclaration& function : unit_.functions()) {
            if (function.kernel || !function.defined() || looking_.count(function.name)) continue;
            if (!looks(function.parameters_open, function.body_close)) continue;
            looking_.insert(function.name);
            grown = true;
        }
        for (size_t i = 0; i + 2 < tokens_.size(); ++i) {  // a lambda with a name
            if (!tokens_.is_identifier(i) || !tokens_.is(i + 1, "=") || !tokens_.is(i + 2, "[")) continue;
            if (!looks(i + 3, statement_end(tokens_, i, tokens_.size()))) continue;
            grown = looking_.emplace(tokens_.text(i)).second || grown;
        }
    }
}

Waiting::Loop Waiting::read_loop(size_t keyword) const {
    const size_t size = tokens_.size();
    Loop loop{};
    loop.begin = keyword;
    loop.end = statement_end(tokens_, keyword, size);
    if (tokens_.is(keyword, "do")) {
        loop.body_begin = keyword + 1;
        loop.body_end = statement_end(tokens_, keyword + 1, size);
        loop.condition_begin = loop.body_end + 2;
        loop.condition_end = std::min(size, tokens_.closing(loop.body_end + 1));
        return loop;
    }
    const size_t open = keyword + 1, close = std::min(size, tokens_.closing(open));
    loop.condition_begin = open + 1;
    loop.condition_end = close;
    loop.body_begin = close + 1;
    loop.body_end = loop.end;
    if (!tokens_.is(keyword, "for")) return loop;
    loop.condition_begin = statement_end(tokens_, open + 1, close);
    const size_t step = statement_end(tokens_, loop.condition_begin, close);
    loop.condition_end = step > loop.condition_begin && tokens_.is(step - 1, ";") ? step - 1 : step;
    return loop;
}

// The end of the expression that a token's variable is given: `x = e`, `x += e`, `x++`, `T x(e)`, `f(&x, e)`; the token
// itself where it is given nothing.
size_t Waiting::assigned_until(size_t i, size_t end) const {
    size_t behind = i + 1;  // what belongs to it: elements and members
    while (tokens_.is(behind, "[") || tokens_.is(behind, ".") || tokens_.is(behind, "->")) {
        const size_t close = tokens_.closing(behind);
        behind = tokens_.is(behind, "[") && close != TokenStream::npos ? close + 1 : behind + 2;
    }
    const bool stepped = tokens_.is(behind, "++") || tokens_.is(behind, "--") ||
                         (i > 0 && (tokens_.is(i - 1, "++") || tokens_.is(i - 1, "--")));
    const std::string_view next = behind < end ? tokens_.text(behind) : "";
    const bool compares = next == "==" || next == "!=" || next == "<=" || next == ">=";
    const bool assigned = !next.empty() && next.back() == '=' && !compares;
    const bool lent = i > 0 && tokens_.is(i - 1, "&");
    const bool declared = (next == "(" || next == "{") && i > 0 && tokens_.is_identifier(i - 1);
    if (stepped) return behind + 1;
    if (!assigned && !lent && !declared) return i;
    return statement_end(tokens_, i, end);
}

// A loop ends when its condition fails, or at a jump. Does one of those hang on a look at memory? What they mention is
// followed through the assignments of the loop.
bool Waiting::spins(const Loop& loop) const {
    struct Choice {
        size_t condition, begin, end;
        bool counts;
    };
    std::vector<Choice> choices;
    bool fenced = false;
    for (size_t i = loop.begin; i < loop.end; ++i) {
        fenced = fenced || is_fence(tokens_.text(i));
        if (!tokens_.is(i, "if") && !tokens_.is(i, "switch") && !tokens_.is(i, "while") && !tokens_.is(i, "for"))
            continue;
        size_t open = i + 1;
        while (open < loop.end && !tokens_.is(open, "(")) ++open;
        choices.push_back({open, open, statement_end(tokens_, i, loop.end), false});
    }
    const auto looks_here = [&](size_t begin, size_t end) {
        if (looks(begin, end)) return true;
        for (size_t i = begin; fenced && i < end; ++i)
            if (tokens_.is(i, "*") || tokens_.is(i, "[") || tokens_.is(i, "->")) return true;
        return false;
    };
    std::set<std::string> deciding;
    const auto decide = [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
            if (tokens_.is_identifier(i)) deciding.emplace(tokens_.text(i));
        return looks_here(begin, end);
    };
    const bool steps_always = tokens_.is(loop.begin, "for");
    const auto jumps = [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
            if (tokens_.is(i, "break") || tokens_.is(i, "return") || tokens_.is(i, "goto") ||
                (tokens_.is(i, "continue") && !steps_always))
                return true;
        return false;
    };
    if (decide(loop.condition_begin, loop.condition_end)) return true;
    for (size_t before = 0, now = 1; before != now; now = deciding.size()) {
        before = deciding.size();
        for (size_t i = loop.begin; i < loop.end; ++i) {
            if (!tokens_.is_identifier(i) || !deciding.count(std::string(tokens_.text(i)))) continue;
            const size_t until = assigned_until(i, loop.end);
            if (until > i && decide(i, until)) return true;
            for (Choice& choice : choices)
                choice.counts = choice.counts || (until > i && i > choice.begin && i < choice.end);
        }
        for (Choice& choice : choices)
            if ((choice.counts || jumps(choice.begin, choice.end)) &&
                decide(choice.condition, std::min(loop.end, tokens_.closing(choice.condition))))
                return true;
        now = deciding.size();
    }
    return false;
}

// `do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (assumed != old);` goes round again only when
// another thread came further.
bool Waiting::is_retry(const Loop& loop) const {
    std::vector<std::string_view> compared;
    for (size_t i = loop.condition_begin; i < loop.condition_end; ++i)
        if (tokens_.is_identifier(i) && !tokens_.is(i + 1, "(")) compared.push_back(tokens_.text(i));
    if (compared.size() != 2) return false;
    size_t swaps = 0, exchanges = 0, others = 0;
    for (size_t i = loop.body_begin; i < loop.body_end; ++i) {
        for (int order = 0; order < 2; ++order) {
            const std::string_view old = compared[order], assumed = compared[1 - order];
            if (tokens_.is(i, assumed) && tokens_.is(i + 1, "=") && tokens_.is(i + 2, old) && tokens_.is(i + 3, ";"))
                ++swaps;
            if (tokens_.is(i, old) && tokens_.is(i + 1, "=") && tokens_.is(i + 2, "atomicCAS")) ++exchanges;
        }
        if (looks_at(i)) ++others;
    }
    return swaps == 1 && exchanges == 1 && others == 1;
}

void Waiting::find_places(const FunctionDeclaration& function) {
    std::set<size_t> ends_of_do;  // their `while`
    for (size_t i = function.body_open + 1; i < function.body_close; ++i) {
        if ((tokens_.is(i, "for") || tokens_.is(i, "do") || tokens_.is(i, "while")) && !ends_of_do.count(i)) {
            const Loop loop = read_loop(i);
            if (tokens_.is(i, "do")) ends_of_do.insert(loop.body_end);
            if (loop.body_begin < loop.body_end && spins(loop) && !is_retry(loop))
                places_.push_back({loop.body_begin, loop.body_end});
        } else if (tokens_.is_identifier(i) && tokens_.is(i + 1, ":") && !tokens_.is(i, "default")) {
            for (size_t k = i + 2; k < function.body_close; ++k)
                if (tokens_.is(k, "goto") && tokens_.is(k + 1, tokens_.text(i)) && looks(i, k)) {
                    places_.push_back({i + 2, i + 2});
                    break;
                }
        }
    }
}

void Waiting::find_spinning_functions() {
    for (bool grown = true; grown;) {
        grown = false;
        for (const FunctionDeclaration& function : unit_.functions()) {
            if (function.kernel || !function.defined() || spinning_.count(function.name)) continue;
            const auto inside = [&](const SpinningPlace& place) {
                return place.begin > function.body_open && place.begin < function.body_close;
            };
            if (std::none_of(places_.begin(), places_.end(), inside) &&
                !mentions(function.parameters_close, function.body_close, spinning_))
                continue;
            spinning_.insert(function.name);
            grown = true;
            if (function.name.rfind("operator", 0) == 0) every_call_may_spin_ = true;
        }
    }
}

}  // namespace cuda_shim
