#include "kernel_compiler/refusals/unknown_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "common/word_list.h"
#include "kernel_compiler/refusals/declaration_place.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// The built-ins that NVRTC of CUDA 11, 12 or 13 takes.
constexpr std::string_view kBuiltins =
    "__builtin_assume __builtin_assume_aligned __builtin_expect __builtin_is_constant_evaluated __builtin_unreachable "
    "__builtin_COLUMN __builtin_FILE __builtin_FUNCTION __builtin_LINE __builtin_addressof __builtin_bit_cast "
    "__builtin_isnan __builtin_isinf __builtin_isfinite __builtin_signbit __builtin_copysign __builtin_copysignf "
    "__builtin_add_overflow __builtin_sub_overflow __builtin_mul_overflow __builtin_constant_p __builtin_offsetof "
    "__builtin_va_list __builtin_va_start __builtin_va_end __builtin_va_arg __builtin_va_copy";

// Words that none of them knows, and Clang does. (Names of macros are not here: they are numbers by now.)
constexpr std::string_view kWords =
    "_Alignof _Atomic _BitInt _Bool _Complex _Float16 _Float32 _Float64 _Generic _Imaginary _Static_assert _Nonnull "
    "_Nullable __alignof __array_rank __asm __asm__ __auto_type __bf16 __const __decltype __extension__ __float128 "
    "__fp16 __imag__ __int128 __int128_t __is_arithmetic __is_array __is_const __is_convertible __is_floating_point "
    "__is_integral __is_lvalue_reference __is_object __is_pointer __is_reference __is_same __is_signed __is_void "
    "__label__ __make_unsigned __null __nullptr __rdtsc __real__ __remove_cv __remove_reference_t "
    "__signed __signed__ __typeof __typeof__ __uint128_t __volatile typeof";
constexpr std::string_view kWide = "__int128 __int128_t __uint128_t";

bool has_macro(const CompileOptions& options, std::string_view macro) {
    return std::any_of(options.macros.begin(), options.macros.end(),
                       [&](const std::string& given) { return given == macro; });
}

// A large program has a million tokens.
const std::unordered_set<std::string_view>& unknown_words() {
    static const auto& words = *new std::unordered_set<std::string_view>([] {
        std::unordered_set<std::string_view> all;
        any_word(kWords, [&](std::string_view word) { return all.insert(word), false; });
        return all;
    }());
    return words;
}

bool is_word_character(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class NameRules {
public:
    NameRules(const SyntaxTree& tree, const ProgramSource& program, const CompileOptions& options,
              RefusalReport& report)
        : tree_(tree),
          tokens_(tree.tokens()),
          program_(program),
          wide_integers_(has_macro(options, "-D__CUDACC_RTC_INT128__=1")),
          wide_numbers_(has_macro(options, "-D__CUDACC_RTC_FLOAT128__=1")),
          report_(report) {}

    void refuse() {
        if (has_text("#include <cuda_shim/")) return;  // translated PTX has words and forms of its own
        for (size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_.is_identifier(i) && is_unknown(tokens_.text(i)) && is_written(tokens_.text(i)) && !is_unread(i))
                report_.add(i, concat({"identifier \"", std::string(tokens_.text(i)), "\" is undefined"}));
        for (NodeIndex i = 0; i < tree_.size(); ++i)
            if (!tree_[i].tokens.empty() && is_extension(tree_[i]) && !is_unread(tree_[i].tokens.begin))
                report_.add(tree_[i].tokens.begin, "expected an expression");
    }

private:
    bool is_unknown(std::string_view word) const {
        if (word[0] != '_' && word[0] != 't') return false;
        if (wide_integers_ && has_word(kWide, word)) return false;
        if (wide_numbers_ && word == "__float128") return false;
        if (unknown_words().count(word)) return true;
        for (std::string_view prefix : {"__sync_", "__atomic_", "_mm_", "__builtin_"})
            if (starts_with(word, prefix)) return !has_word(kBuiltins, word);
        return false;
    }

    // Does the program itself have the word, or a header that was given with it?
    bool is_written(std::string_view word) {
        const auto [entry, is_new] = written_.emplace(word, false);
        if (!is_new) return entry->second;
        entry->second = has_as_word(program_.text, word);
        for (const auto& [name, text] : program_.headers) entry->second = entry->second || has_as_word(text, word);
        return entry->second;
    }

    static bool has_as_word(const std::string& text, std::string_view word) {
        for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
            const size_t end = at + word.size();
            if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end])))
                return true;
        }
        return false;
    }

    bool has_text(std::string_view part) const {
        if (program_.text.find(part) != std::string::npos) return true;
        for (const auto& [name, text] : program_.headers)
            if (text.find(part) != std::string::npos) return true;
        return false;
    }

    bool is_extension(const SyntaxNode& node) const {
        switch (node.kind) {
            case NodeKind::StatementExpression:
                return has_text("({");
            case NodeKind::OmittedOperand:
                return has_text("?:");
            case NodeKind::LabelAddress:
                return has_text("&&");
            default:
                return false;
        }
    }

    // NVRTC reads a template when it is instantiated, and of a class template no more than is used.
    bool is_unread(size_t token) {
        if (!has_unread_) find_unread();
        return std::any_of(unread_.begin(), unread_.end(),
                           [&](const Range& range) { return token >= range.begin && token < range.end; });
    }

    void find_unread() {
        has_unread_ = true;
        for (NodeIndex i = 0; i < tree_.size(); ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.kind == NodeKind::ClassTemplate || (node.kind == NodeKind::FunctionTemplate && !has_instance(i)))
                unread_.push_back(node.tokens);
        }
    }

    bool has_instance(NodeIndex function_template) const {
        for (NodeIndex child : tree_.children(function_template))
            if (tree_[child].is_function() && has_template_arguments(tree_, child)) return true;
        return false;
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    const ProgramSource& program_;
    const bool wide_integers_, wide_numbers_;
    RefusalReport& report_;
    std::unordered_map<std::string_view, bool> written_;  // words of the tokens
    std::vector<Range> unread_;                           // of templates
    bool has_unread_ = false;
};

}  // namespace

void refuse_unknown_names(const SyntaxTree& tree, const ProgramSource& program, const CompileOptions& options,
                          RefusalReport& report) {
    NameRules(tree, program, options, report).refuse();
}

}  // namespace cuda_shim
