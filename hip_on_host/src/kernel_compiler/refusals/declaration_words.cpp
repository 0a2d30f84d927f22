#include "kernel_compiler/refusals/declaration_words.h"

#include <algorithm>
#include <array>

#include "common/word_list.h"

namespace cuda_shim {
namespace {

constexpr std::string_view kLeading =
    "__device__ __global__ __host__ __constant__ __shared__ __managed__ __grid_constant__ __forceinline__ __noinline__ "
    "__inline__ __inline __inline_hint__ extern static thread_local mutable friend inline virtual explicit constexpr "
    "consteval constinit const volatile";
constexpr std::string_view kWithArguments =
    "__attribute__ __attribute alignas __align__ __launch_bounds__ __cluster_dims__ __maxnreg__ __block_size__ "
    "__declspec explicit";
// The words that rules ask for.
constexpr std::string_view kAskedFor =
    "__device__ __global__ __host__ __constant__ __shared__ __managed__ __grid_constant__ __launch_bounds__ "
    "__cluster_dims__ __maxnreg__ __block_size__ extern static thread_local friend constexpr consteval auto";
constexpr std::string_view kMemorySpaces = "__device__ __constant__ __shared__ __managed__";

// The first token of the words in front of `at`, which belong to the same declaration.
size_t first_leading_word(const TokenStream& tokens, size_t at) {
    while (at > 0) {
        const size_t before = at - 1;
        const size_t open = tokens.closing(before);
        const bool closes = open != TokenStream::npos && open < before;
        if (has_word(kLeading, tokens.text(before)) || tokens[before].kind == Token::String ||
            tokens[before].kind == Token::Directive)
            at = before;
        else if (closes && tokens.is(before, "]") && tokens.is(open, "[") && open > 0 && tokens.is(open - 1, "["))
            at = open;
        else if (closes && tokens.is(before, "]") && tokens.is(open + 1, "["))
            at = open;
        else if (closes && tokens.is(before, ")") && open > 0 && has_word(kWithArguments, tokens.text(open - 1)))
            at = open - 1;
        else
            break;
    }
    return at;
}

// The mark that `__attribute__((device))` or its like stands for, by its first parenthesis; else empty.
std::string_view mark_of_attribute(const TokenStream& tokens, size_t open) {
    if (open == 0 || open + 2 >= tokens.size() || !tokens.is(open, "(") || !tokens.is(open + 1, "(")) return {};
    if (!has_word(kWithArguments, tokens.text(open - 1))) return {};
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> marks = {
        {{"device", "__device__"}, {"global", "__global__"}, {"shared", "__shared__"}, {"constant", "__constant__"}}};
    for (const auto& [attribute, mark] : marks)
        if (tokens.is(open + 2, attribute)) return mark;
    return {};
}

}  // namespace

DeclarationWords::DeclarationWords(const TokenStream& tokens, const SyntaxNode& declaration) {
    const size_t name = declaration.name_token;
    first_ = first_leading_word(tokens, declaration.tokens.empty() ? name : std::min(declaration.tokens.begin, name));
    for (size_t i = first_; i < name; ++i) {
        const size_t close = tokens.closing(i);
        if (close != TokenStream::npos && close > i && close < name && tokens.is(i, "{"))
            i = close;  // a class or an enumeration that is defined in the declaration
        else
            take(tokens, i);
    }
    if (declaration.is_function()) take_behind_name(tokens, name);
    full_specialisation_ =
        first_ >= 3 && tokens.is(first_ - 1, ">") && tokens.is(first_ - 2, "<") && tokens.is(first_ - 3, "template");
}

void DeclarationWords::take(const TokenStream& tokens, size_t token) {
    const std::string_view word = tokens.text(token);
    const std::string_view mark = mark_of_attribute(tokens, token);
    if (!mark.empty())
        words_.emplace_back(mark, token + 2);
    else if (has_word(kAskedFor, word))
        words_.emplace_back(word, token);
}

// `int f __device__ (int)`, and attributes behind the parameters.
void DeclarationWords::take_behind_name(const TokenStream& tokens, size_t name) {
    for (size_t i = name + 1; i < tokens.size() && !tokens.is(i, "{") && !tokens.is(i, ";"); ++i) {
        const size_t close = tokens.closing(i);
        take(tokens, i);
        if (close != TokenStream::npos && close > i) i = close;  // parameters, and what attributes are given
    }
}

size_t DeclarationWords::at(std::string_view word) const {
    const auto found =
        std::find_if(words_.begin(), words_.end(), [&](const auto& entry) { return entry.first == word; });
    return found == words_.end() ? TokenStream::npos : found->second;
}

bool DeclarationWords::has_memory_space() const {
    return std::any_of(words_.begin(), words_.end(), [](const auto& entry) { return is_memory_space(entry.first); });
}

bool is_memory_space(std::string_view word) { return has_word(kMemorySpaces, word); }

}  // namespace cuda_shim
