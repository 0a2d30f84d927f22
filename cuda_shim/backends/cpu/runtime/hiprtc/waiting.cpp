#include "hiprtc/waiting.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace cuda_shim {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Words that repeat, jump, or name code that is not in the unit.
bool is_suspect(std::string_view word) {
    return is_one_of(word, {"while", "do", "goto", "asm", "__asm__", "__asm", "co_await", "co_yield", "std", "cuda",
                            "hip", "using", "virtual", "cooperative_groups", "__nanosleep", "__builtin_longjmp"});
}

bool is_assignment(std::string_view word) {
    return is_one_of(word, {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--"});
}

class Judge {
public:
    explicit Judge(const TranslationUnit& unit) : unit_(unit), tokens_(unit.tokens()) {}

    bool clears(const FunctionDeclaration& kernel) const {
        if (!headers_are_known() || !body_ends(kernel)) return false;
        const auto& functions = unit_.functions();
        return std::all_of(functions.begin(), functions.end(), [&](const FunctionDeclaration& function) {
            return function.kernel || (function.defined() ? body_ends(function) : !is_named(function.name, kernel));
        });
    }

private:
    // Headers that are still to be included: the runtime's own ones for mathematics, types and the like.
    bool headers_are_known() const {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != Token::Directive) continue;
            const std::string_view line = tokens_.text(i);
            if (line.find("include") == std::string_view::npos) continue;
            if (line.find('<') == std::string_view::npos) return false;
            for (const char* waits : {"cooperative", "atomic", "barrier", "latch", "semaphore", "pipeline", "thread"})
                if (line.find(waits) != std::string_view::npos) return false;
        }
        return true;
    }

    bool is_named(const std::string& name, const FunctionDeclaration& within) const {
        for (size_t i = within.body_open; i < within.body_close; ++i)
            if (tokens_.is(i, name)) return true;
        return false;
    }

    // Functions that end, one after the other in the order of the text: each may call those before it.
    bool body_ends(const FunctionDeclaration& function) const {
        for (size_t i = function.body_open; i < function.body_close; ++i) {
            if (tokens_.is(i, "[") && is_one_of(tokens_.text(i + 1), {"&", "=", "]", "this"}))
                return false;  // a lambda
            if (!tokens_.is_identifier(i)) continue;
            if (is_suspect(tokens_.text(i)) || !may_be_named_in(i, function)) return false;
            if (!tokens_.is(i, "for")) continue;
            if (!counts(i + 1, function.body_close)) return false;
        }
        return true;
    }

    // A function that is called here must stand before the one that calls it, and be called, not pointed to.
    bool may_be_named_in(size_t at, const FunctionDeclaration& caller) const {
        for (const FunctionDeclaration& named : unit_.functions()) {
            if (tokens_.text(at) != named.name) continue;
            const bool called = tokens_.is(at + 1, "(") || tokens_.is(at + 1, "<");
            if (named.kernel || !called || !named.defined() || named.body_open >= caller.body_open) return false;
        }
        return true;
    }

    // The loop whose ( is at `open`: a condition and a step, of numbers alone, and a counter of its own.
    bool counts(size_t open, size_t end) const {
        const size_t close = tokens_.closing(open);
        if (!tokens_.is(open, "(") || close == TokenStream::npos || close >= end) return false;
        size_t semicolons[2], found = 0;
        for (size_t i = open + 1; i < close; ++i) {
            if (!tokens_.is(i, ";")) continue;
            if (found == 2) return false;
            semicolons[found++] = i;
        }
        if (found != 2) return false;  // over a range, whose iterators may do anything
        const size_t condition = semicolons[0] + 1, step = semicolons[1] + 1;
        if (condition == semicolons[1] || step == close) return false;
        if (!is_plain(condition, semicolons[1]) || !is_plain(step, close)) return false;
        const size_t counter = counter_of(step, close);
        if (counter == TokenStream::npos || !mentions(condition, semicolons[1], tokens_.text(counter))) return false;
        return is_declared(open + 1, semicolons[0], tokens_.text(counter)) &&
               !is_changed(close, statement_end(close + 1, end), tokens_.text(counter));
    }

    // No call, no memory: numbers, names, members of the built-in indices, and what calculates with them.
    bool is_plain(size_t begin, size_t end) const {
        for (size_t i = begin; i < end; ++i) {
            const std::string_view word = tokens_.text(i);
            if (tokens_[i].kind == Token::String || is_one_of(word, {"[", "->", "{", ",", "&"})) return false;
            if (word == "*" && !ends_operand(i, begin)) return false;  // reads memory
            if (word == "(" && ends_operand(i, begin)) return false;   // a call
            for (const VariableDeclaration& variable : unit_.variables())
                if (word == variable.name && variable.kind != VariableDeclaration::Constant) return false;
        }
        return true;
    }
    bool ends_operand(size_t at, size_t begin) const {
        if (at == begin) return false;
        return tokens_[at - 1].kind == Token::Identifier || tokens_[at - 1].kind == Token::Number ||
               tokens_.is(at - 1, ")");
    }

    // The lexer leaves >> apart, since it closes templates too.
    bool assigns(size_t at) const {
        return is_assignment(tokens_.text(at)) || (tokens_.is(at, ">") && tokens_.is(at + 1, ">="));
    }

    // `i++`, `++i`, `i += …`: one assignment, to a plain name.
    size_t counter_of(size_t begin, size_t end) const {
        size_t counter = TokenStream::npos;
        for (size_t i = begin; i < end; ++i) {
            if (!assigns(i)) continue;
            if (counter != TokenStream::npos) return TokenStream::npos;
            if (i == begin + 1 && tokens_.is_identifier(begin)) counter = begin;
            if (i == begin && end == begin + 2 && tokens_.is_identifier(begin + 1)) counter = begin + 1;
            if (counter == TokenStream::npos || tokens_.is(i, "=")) return TokenStream::npos;
        }
        return counter;
    }

    bool mentions(size_t begin, size_t end, std::string_view name) const {
        for (size_t i = begin; i < end; ++i)
            if (tokens_.is(i, name)) return true;
        return false;
    }

    // In the loop's own head: `int i = …`, behind a type, so that nobody else can have its address.
    bool is_declared(size_t begin, size_t end, std::string_view name) const {
        for (size_t i = begin + 1; i < end; ++i)
            if (tokens_.is(i, name) && tokens_.is_identifier(i - 1) && tokens_.is(i + 1, "=")) return true;
        return false;
    }

    // Assigned to, or handed to somebody who might.
    bool is_changed(size_t begin, size_t end, std::string_view name) const {
        for (size_t i = begin; i < end; ++i) {
            if (!tokens_.is(i, name)) continue;
            if (assigns(i + 1) || is_one_of(tokens_.text(i - 1), {"++", "--", "&"})) return true;
            const bool alone = is_one_of(tokens_.text(i - 1), {"(", ","}) && is_one_of(tokens_.text(i + 1), {")", ","});
            if (alone && hands_out_references()) return true;
        }
        return false;
    }
    bool hands_out_references() const {
        const auto& functions = unit_.functions();
        return std::any_of(functions.begin(), functions.end(), [&](const FunctionDeclaration& function) {
            return mentions(function.parameters_open, function.parameters_close, "&");
        });
    }

    // The end of the statement that begins here: a block's }, or the semicolon.
    size_t statement_end(size_t begin, size_t end) const {
        for (size_t i = begin; i < end; ++i) {
            if (tokens_.is(i, ";")) return i;
            const size_t partner = tokens_.closing(i);
            if (partner == TokenStream::npos || partner < i) continue;
            if (tokens_.is(i, "{")) return partner;
            i = partner;
        }
        return end;
    }

    const TranslationUnit& unit_;
    const TokenStream& tokens_;
};

}  // namespace

bool never_waits(const TranslationUnit& unit, const FunctionDeclaration& kernel) {
    return kernel.defined() && Judge(unit).clears(kernel);
}

}  // namespace cuda_shim
