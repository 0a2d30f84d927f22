#include "kernel_compiler/read/macro_use.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Beginnings of the names that device/prelude/expansion_pass.h defines, beside those that begin with two underscores
// and a capital letter. CUDA's qualifiers are defined there as themselves.
constexpr std::array<std::string_view, 9> kBeginnings = {"CCCL_", "CU_",     "CUDA",   "HIP",   "NULL",
                                                         "NV_",   "_Pragma", "__cpp_", "__hip_"};

// A mark at the beginning of a file, lines that go on behind a backslash, and # in other characters.
constexpr std::array<std::string_view, 5> kBeforeTokens = {"\xEF\xBB\xBF", "\\\n", "\\\r", "%:", "?\?="};

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_defined_name(std::string_view word) {
    if (word.size() > 2 && starts_with(word, "__") && is_capital(word[2])) return true;
    return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                       [&](std::string_view beginning) { return starts_with(word, beginning); });
}

// "NAME" of "-DNAME=VALUE", "-DNAME(x)=VALUE" and "-UNAME".
std::string_view macro_name(std::string_view option) {
    const std::string_view definition = option.substr(2);
    return definition.substr(0, definition.find_first_of("=("));
}

bool is_identifier(std::string_view name) {
    const TokenStream tokens{std::string(name)};
    return tokens.size() == 1 && tokens.is_identifier(0) && tokens.text(0) == name;
}

// #pragma unroll, with a number or without: any other may print a message or save a macro.
bool is_plain_unroll(std::string_view directive) {
    const TokenStream tokens{std::string(directive.substr(directive.find('#') + 1))};
    for (size_t i = 2; i < tokens.size(); ++i)
        if (tokens[i].kind != Token::Number && !tokens.is(i, "(") && !tokens.is(i, ")")) return false;
    return tokens.is(0, "pragma") && tokens.is(1, "unroll");
}

}  // namespace

bool may_use_macros(const std::string& text, const std::vector<std::string>& options) {
    for (std::string_view mark : kBeforeTokens)
        if (text.find(mark) != std::string::npos) return true;
    std::set<std::string_view> names;
    for (const std::string& option : options) {
        names.insert(macro_name(option));
        if (!is_identifier(macro_name(option))) return true;  // the pass has an error message for it
    }
    const TokenStream tokens(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view word = tokens.text(i);
        if (tokens[i].kind == Token::Directive && !is_plain_unroll(word)) return true;
        if (tokens.is_identifier(i) && (names.count(word) || is_defined_name(word))) return true;
    }
    return false;
}

}  // namespace cuda_shim
