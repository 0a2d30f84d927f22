#include "kernel_compiler/analyse/word_reachability.h"

#include <algorithm>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

WordReachability::WordReachability(const TranslationUnit& unit, IsWord is_word) : unit_(unit) {
    const TokenStream& tokens = unit.tokens();
    for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens.is_identifier(i) && is_word(tokens.text(i))) add(i);
    bool more = !names_.empty();
    while (more && !by_all_) {
        more = false;
        for (size_t i = 0; i < tokens.size() && !by_all_; ++i)
            if (tokens.is_identifier(i) && names_.count(tokens.text(i))) more = add(i) || more;
    }
}

const FunctionDeclaration* WordReachability::function_around(size_t token) const {
    for (const FunctionDeclaration& function : unit_.functions())
        if (token >= function.first && token < function.end) return &function;
    return nullptr;
}

bool WordReachability::by_function_around(size_t token) const {
    const FunctionDeclaration* function = function_around(token);
    return by_all_ || (function && bodies_.count(function->body_open) != 0);
}

// Returns whether that is a function which was not known to reach the word.
bool WordReachability::add(size_t token) {
    const TokenStream& tokens = unit_.tokens();
    const FunctionDeclaration* function = function_around(token);
    if (!function || function->method || starts_with(function->name, "operator")) {
        by_all_ = true;
        return false;
    }
    if (tokens.text(token) == function->name && token < function->parameters_open)
        return false;  // it declares the name
    if (!function->defined()) {
        by_all_ = true;
        return false;
    }
    const bool called = tokens.is(token + 1, "(") || tokens.is(token + 1, "<");
    if (names_.count(tokens.text(token)) && !called) by_all_ = true;
    names_.insert(function->name);
    return bodies_.insert(function->body_open).second;
}

}  // namespace cuda_shim
