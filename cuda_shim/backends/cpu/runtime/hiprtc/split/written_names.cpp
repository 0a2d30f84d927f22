#include "hiprtc/split/written_names.h"

#include <algorithm>
#include <array>

#include "hiprtc/split/statement.h"

namespace cuda_shim {
namespace {

bool is_operand_end(const TokenStream& tokens, size_t at) {
    return tokens[at].kind == Token::Number || tokens[at].kind == Token::String || tokens.is(at, ")") ||
           tokens.is(at, "]") ||
           (tokens.is_identifier(at) && !tokens.is(at, "return") && !tokens.is(at, "case") && !tokens.is(at, "else"));
}

// The first token of the path that ends at `at`: of a.b.c at c, a.
size_t path_begin(const TokenStream& tokens, size_t at) {
    while (at >= 2 && (tokens.is(at - 1, ".") || tokens.is(at - 1, "->")) && tokens.is_identifier(at - 2)) at -= 2;
    return at;
}

// Behind the members and subscripts of the variable at `at`: of v.x[2] = ..., the =.
size_t path_end(const TokenStream& tokens, size_t at) {
    size_t next = at + 1;
    while (next < tokens.size()) {
        if (tokens.is(next, ".") && tokens.is_identifier(next + 1)) {
            next += 2;
        } else if (tokens.is(next, "[") && tokens.closing(next) != TokenStream::npos) {
            next = tokens.closing(next) + 1;
        } else {
            break;
        }
    }
    return next;
}

// Casts and control words before a parenthesis, where nothing is called.
bool is_no_call(std::string_view word) {
    static constexpr std::array<std::string_view, 14> words = {
        "if",         "while",   "for",      "switch",      "return",
        "sizeof",     "alignof", "decltype", "static_cast", "reinterpret_cast",
        "const_cast", "float",   "int",      "unsigned"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Functions of the C++ library that take references; those of the prelude take none.
bool is_reference_function(std::string_view word) {
    static constexpr std::array<std::string_view, 7> words = {"swap", "exchange", "tie", "ref",
                                                              "cref", "forward",  "move"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool takes_references(const TokenStream& tokens, const TranslationUnit& unit, size_t callee) {
    const std::string_view name = tokens.text(callee);
    if (is_no_call(name)) return false;
    if (is_reference_function(name)) return true;
    bool known = false;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (function.name != name) continue;
        known = true;
        for (size_t i = function.parameters_open; i < function.parameters_close; ++i)
            if (unit.tokens().is(i, "&") || unit.tokens().is(i, "&&")) return true;
    }
    // Unknown methods and lambdas may take anything; plain names that the program does not declare are the prelude's.
    return !known && (tokens.is(callee - 1, ".") || tokens.is(callee - 1, "->"));
}

// The call whose argument the token is, alone: f(v) or f(a, v). npos when it is no such argument.
size_t call_of_argument(const TokenStream& tokens, size_t at) {
    const bool before = tokens.is(at - 1, "(") || tokens.is(at - 1, ",");
    const size_t end = path_end(tokens, at);
    const bool behind = tokens.is(end, ")") || tokens.is(end, ",");
    if (!before || !behind) return TokenStream::npos;
    for (size_t i = at; i-- > 0;) {
        if (tokens.is(i, ")") || tokens.is(i, "]") || tokens.is(i, "}")) {
            if (tokens.closing(i) == TokenStream::npos) return TokenStream::npos;
            i = tokens.closing(i);
        } else if (tokens.is(i, "(")) {
            if (i == 0) return TokenStream::npos;
            if (tokens.is_identifier(i - 1)) return i - 1;
            if (tokens.is(i - 1, ">")) {  // f<T>(v): back to the name
                int depth = 0;
                for (size_t k = i - 1; k > 0; --k) {
                    if (tokens.is(k, ">"))
                        ++depth;
                    else if (tokens.is(k, "<") && --depth == 0)
                        return tokens.is_identifier(k - 1) ? k - 1 : TokenStream::npos;
                }
            }
            return TokenStream::npos;
        } else if (tokens.is(i, ";") || tokens.is(i, "{") || tokens.is(i, "}") || tokens.is(i, "[")) {
            return TokenStream::npos;
        }
    }
    return TokenStream::npos;
}

}  // namespace

bool is_assignment(const TokenStream& tokens, size_t at) {
    static constexpr std::array<std::string_view, 10> operators = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="};
    if (std::find(operators.begin(), operators.end(), tokens.text(at)) != operators.end()) return true;
    return tokens.is(at, ">") && tokens.is(at + 1, ">=");  // >>=, which stays apart for the sake of templates
}

bool is_unary(const TokenStream& tokens, size_t at, size_t begin) {
    if (at == begin) return true;
    if (tokens.is(at - 1, ")")) {
        // Behind a cast, too; a parenthesis that holds a type ends in a type's name or a star.
        const size_t open = tokens.closing(at - 1);
        return open != TokenStream::npos && open + 1 < at - 1 &&
               (is_builtin_type(tokens.text(at - 2)) || tokens.is(at - 2, "*"));
    }
    return !(tokens.is_identifier(at - 1) || tokens[at - 1].kind == Token::Number || tokens.is(at - 1, "]"));
}

bool stands_alone(const TokenStream& tokens, size_t at) {
    if (at == 0) return true;
    return !tokens.is(at - 1, ".") && !tokens.is(at - 1, "->") && !tokens.is(at - 1, "::") && !tokens.is(at + 1, "::");
}

bool may_be_aliased(const TokenStream& tokens, const TranslationUnit& unit, size_t at, bool pointer) {
    if (pointer && (tokens.is(at + 1, "[") || tokens.is(at + 1, "->"))) return false;
    const size_t begin = path_begin(tokens, at);
    if (begin > 0 && tokens.is(begin - 1, "&") && !(begin > 1 && is_operand_end(tokens, begin - 2))) return true;
    const size_t call = call_of_argument(tokens, at);
    return call != TokenStream::npos && takes_references(tokens, unit, call);
}

bool is_written(const TokenStream& tokens, const TranslationUnit& unit, size_t at, bool pointer) {
    if (!stands_alone(tokens, at)) return false;
    if (pointer && (tokens.is(at + 1, "[") || tokens.is(at + 1, "->"))) return false;
    const size_t next = path_end(tokens, at);
    // `*p = x` writes elsewhere, unless the star multiplies.
    const bool dereferenced = at > 0 && tokens.is(at - 1, "*") && !(at > 1 && is_operand_end(tokens, at - 2));
    if (is_assignment(tokens, next) && !dereferenced) return true;
    if (tokens.is(next, "++") || tokens.is(next, "--")) return true;
    if (at > 0 && (tokens.is(at - 1, "++") || tokens.is(at - 1, "--"))) return true;
    // A method may change its object: v.push(x).
    if (next > at + 1 && tokens.is_identifier(next - 1) && tokens.is(next, "(")) return true;
    return may_be_aliased(tokens, unit, at, pointer);
}

std::vector<Parameter> named_parameters(const TokenStream& tokens, size_t open, size_t close) {
    std::vector<Parameter> found;
    size_t name = TokenStream::npos;
    bool ended = false;  // behind = or [ nothing of this parameter is its name
    bool pointer = false;
    for (size_t i = open + 1; i <= close; ++i) {
        if (i == close || tokens.is(i, ",")) {
            // A lone word is a type: `void`, or a parameter without a name.
            if (name != TokenStream::npos && name > open + 1 && !tokens.is(name - 1, ","))
                found.push_back({std::string(tokens.text(name)), name, pointer});
            name = TokenStream::npos;
            ended = pointer = false;
        } else if (tokens.is(i, "<")) {
            const size_t angle = tokens.closing_angle(i, close);
            if (angle != TokenStream::npos) i = angle;
        } else if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{")) {
            // `float (*name)[4]` and `float (&name)[4]`: the name lies inside.
            if (tokens.is(i, "(") && (tokens.is(i + 1, "*") || tokens.is(i + 1, "&")) && !ended)
                name = tokens.closing(i) - 1;
            pointer = pointer || (!ended && (tokens.is(i, "[") || tokens.is(i + 1, "*")));
            ended = true;
            i = tokens.closing(i);
        } else if (tokens.is(i, "*") && !ended) {
            pointer = true;
        } else if (tokens.is(i, "=")) {
            ended = true;
        } else if (!ended && tokens.is_identifier(i)) {
            name = i;
        }
    }
    return found;
}

}  // namespace cuda_shim
