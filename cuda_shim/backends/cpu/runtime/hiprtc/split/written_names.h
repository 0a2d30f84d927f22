// Which names an expression may change, by its tokens alone.
#pragma once
#include "hiprtc/translation_unit.h"

namespace cuda_shim {

// Is the variable named at token `at` changed there: assigned, incremented, its address taken, bound to a reference
// or passed to a function that takes one? Rather yes where types would be needed to know. Of a variable known to be a
// `pointer`, what it points to does not count.
bool is_written(const TokenStream& tokens, const TranslationUnit& unit, size_t at, bool pointer);

// Is its address taken there, or is it bound to a reference, so that it may change elsewhere too?
bool may_be_aliased(const TokenStream& tokens, const TranslationUnit& unit, size_t at, bool pointer);

// Does the token name a variable at all, and not a member (a.x) or part of another scope (n::x)?
bool stands_alone(const TokenStream& tokens, size_t at);

// Is the * or & at `at` an operator on one operand, in an expression that starts at `begin`?
bool is_unary(const TokenStream& tokens, size_t at, size_t begin);

// Is the sign at `at` an assignment? `>>=` is two tokens, the first of which is meant.
bool is_assignment(const TokenStream& tokens, size_t at);

struct Parameter {
    std::string name;
    size_t token;
    bool pointer;  // declared with a * or as an array
};
// The named parameters between the parentheses.
std::vector<Parameter> named_parameters(const TokenStream& tokens, size_t open, size_t close);

}  // namespace cuda_shim
