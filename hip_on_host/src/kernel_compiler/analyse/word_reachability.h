// The functions that may reach a word of a program, as far as its text alone shows: used where no Clang has read the
// program.
#pragma once
#include <set>
#include <string_view>

#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// A function reaches a word that stands in it, and the words that the functions it names reach. Everything reaches a
// word that stands elsewhere, in methods or operators, which are called without their names, or in a function whose
// address is taken.
class WordReachability {
public:
    using IsWord = bool (*)(std::string_view word);
    WordReachability(const TranslationUnit& unit, IsWord is_word);

    bool by(const FunctionDeclaration& function) const { return by_all_ || bodies_.count(function.body_open) != 0; }
    // Does the token stand in a function that reaches such a word?
    bool by_function_around(size_t token) const;

private:
    const FunctionDeclaration* function_around(size_t token) const;
    bool add(size_t token);

    const TranslationUnit& unit_;
    std::set<size_t> bodies_;  // bodies of functions, by the brace that opens them
    std::set<std::string_view> names_;
    bool by_all_ = false;
};

}  // namespace cuda_shim
