#include "kernel_compiler/prepare/leading_alignment.h"

#include <array>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Words that CUDA's compilers let stand before the alignment of a variable.
bool may_stand_before(std::string_view word) {
    static constexpr std::array<std::string_view, 8> words = {"__shared__", "__device__", "__constant__", "__managed__",
                                                              "static",     "extern",     "const",        "volatile"};
    return one_of(word, words);
}

}  // namespace

std::string with_leading_alignment(const std::string& text) {
    if (text.find("alignas") == std::string::npos) return text;
    const TokenStream tokens(text);
    TextEdits edits;
    for (size_t i = 1; i < tokens.size(); ++i) {
        if (!tokens.is(i, "alignas") || !tokens.is(i + 1, "(") || tokens.closing(i + 1) == TokenStream::npos) continue;
        size_t first = i;
        while (first > 0 && may_stand_before(tokens.text(first - 1))) --first;
        if (first == i) continue;
        const size_t close = tokens.closing(i + 1);
        edits.insert(tokens[first].begin, tokens.slice(i, close + 1) + " ");
        edits.replace(tokens[i].begin, tokens[close].end, "");
        i = close;
    }
    return edits.apply(text);
}

}  // namespace cuda_shim
