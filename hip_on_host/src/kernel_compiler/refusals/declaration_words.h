// CUDA's qualifiers in front of a declaration. Clang's tree does not have them, since the host's compiler reads them as
// nothing, so they are read from the text around the place that the tree names.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

class DeclarationWords {
public:
    // The declaration is that of a function, a variable, a parameter or a field; its name is in the program's text.
    DeclarationWords(const TokenStream& tokens, const SyntaxNode& declaration);

    bool has(std::string_view word) const { return at(word) != TokenStream::npos; }
    // The word's first place; npos where the declaration lacks it. `__attribute__((device))` is `__device__`, too.
    size_t at(std::string_view word) const;

    bool has_memory_space() const;
    // Is `template <>` in front?
    bool is_full_specialisation() const { return full_specialisation_; }
    // The declaration's first word.
    size_t first() const { return first_; }
    // Each word that places the declaration in a space (`__device__`, `__shared__` …) or that only kernels may have
    // (`__launch_bounds__` …), with its place, in the text's order.
    const std::vector<std::pair<std::string_view, size_t>>& words() const { return words_; }

private:
    void take(const TokenStream& tokens, size_t token);
    void take_behind_name(const TokenStream& tokens, size_t name);

    std::vector<std::pair<std::string_view, size_t>> words_;
    size_t first_;
    bool full_specialisation_;
};

// Is the word one of those that place a variable, such as `__shared__`?
bool is_memory_space(std::string_view word);

}  // namespace cuda_shim
