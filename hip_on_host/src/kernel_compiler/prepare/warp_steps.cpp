#include "kernel_compiler/prepare/warp_steps.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>
#include <vector>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {
namespace {

constexpr size_t npos = TokenStream::npos;
constexpr char kBarrier[] = "__syncwarp();";

// `s[i] += value;`: tokens of the element, the operator and the semicolon.
struct Step {
    std::string_view array;
    Range element;
    size_t operation, end;
};

class WarpSteps {
public:
    explicit WarpSteps(const TranslationUnit& unit) : unit_(unit), tokens_(unit.tokens()) {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (!tokens_.is(i, "volatile")) continue;
            const size_t name = declared_name(i);
            if (name != npos) (is_in_function(i) ? locals_ : globals_).push_back({i, name});
        }
    }

    std::string apply() {
        TextEdits edits;
        for (const FunctionDeclaration& function : unit_.functions()) {
            if (!function.defined()) continue;
            const std::set<std::string_view> arrays = shared_arrays(function);
            if (arrays.empty()) continue;
            bool in_step = false;
            for (size_t i = function.body_open + 1; i < function.body_close; ++i) {
                if (is_barrier(i)) in_step = false;
                Step step;
                if (!arrays.count(tokens_.text(i)) || !read_step(i, function.body_close, step)) continue;
                if (in_step || !is_barrier(behind_braces(step.end + 1))) {
                    put_in_step(step, edits);
                    in_step = true;
                }
                i = step.end;
            }
        }
        return edits.apply(tokens_.source());
    }

private:
    struct Declaration {
        size_t begin, name;  // tokens
    };

    bool is_in_function(size_t token) const {
        return std::any_of(
            unit_.functions().begin(), unit_.functions().end(), [&](const FunctionDeclaration& function) {
                return function.defined() && token > function.parameters_open && token < function.body_close;
            });
    }

    // Volatile arrays in shared memory that the function knows by name, and volatile pointers that may point there: a
    // kernel's parameters do not.
    std::set<std::string_view> shared_arrays(const FunctionDeclaration& function) const {
        std::set<std::string_view> arrays;
        for (const auto& [begin, name] : globals_)
            if (is_shared(begin, name)) arrays.insert(tokens_.text(name));
        for (const auto& [begin, name] : locals_) {
            const bool is_parameter = begin > function.parameters_open && begin < function.parameters_close;
            const bool is_local = begin > function.body_open && begin < function.body_close;
            if (!is_local && (!is_parameter || function.kernel)) continue;
            if (is_shared(begin, name) || tokens_.is(pointer_before(name), "*")) arrays.insert(tokens_.text(name));
        }
        return arrays;
    }

    // The name that a declaration with `volatile` at a token gives: the last identifier before an array's bound, an
    // initialiser, a comma or the end.
    size_t declared_name(size_t at) const {
        size_t name = npos;
        for (size_t i = at + 1; i < tokens_.size(); ++i) {
            if (tokens_.is_identifier(i)) {
                name = i;
            } else if (!tokens_.is(i, "*") && !tokens_.is(i, "::") && !tokens_.is(i, "(")) {
                return name;
            } else if (tokens_.is(i, "(")) {  // __align__(16)
                i = tokens_.closing(i);
                if (i == npos) return npos;
            }
        }
        return npos;
    }

    bool is_shared(size_t begin, size_t name) const {
        while (begin > 0 && !is_one_of(begin - 1, {";", "{", "}", ")", ","})) --begin;
        for (size_t i = begin; i < name; ++i)
            if (tokens_.is(i, "__shared__")) return tokens_.is(name + 1, "[");
        return false;
    }

    // The token before a name, and before words such as `const` and `__restrict__` in front of it.
    size_t pointer_before(size_t name) const {
        size_t i = name - 1;
        while (i > 0 && is_one_of(i, {"const", "__restrict__", "__restrict"})) --i;
        return i;
    }

    bool is_one_of(size_t index, std::initializer_list<std::string_view> words) const {
        for (std::string_view word : words)
            if (tokens_.is(index, word)) return true;
        return false;
    }

    bool is_barrier(size_t index) const {
        if (!tokens_.is_identifier(index) || !tokens_.is(index + 1, "(")) return false;
        return starts_with(tokens_.text(index), "__sync") || tokens_.is(index, "sync");
    }

    // Behind closing braces, at the name of a call such as `block.sync()`.
    size_t behind_braces(size_t index) const {
        while (tokens_.is(index, "}")) ++index;
        while (tokens_.is_identifier(index) && is_one_of(index + 1, {".", "::"})) index += 2;
        return index;
    }

    // Reads a statement that writes an element and reads another one of the same array.
    bool read_step(size_t at, size_t limit, Step& step) const {
        if (!is_one_of(at - 1, {";", "{", "}", ")", "else", "do"}) || !tokens_.is(at + 1, "[")) return false;
        const size_t close = tokens_.closing(at + 1);
        if (close == npos || close >= limit) return false;
        if (!is_one_of(close + 1, {"=", "+=", "-=", "*=", "|=", "&=", "^="})) return false;
        step = {tokens_.text(at), {at, close + 1}, close + 1, close + 2};
        while (step.end < limit && !tokens_.is(step.end, ";")) step.end = tokens_.behind(step.end);
        return step.end < limit && !changes_something(step.element) && reads_another(step);
    }

    // Is it wrong to evaluate the element's index twice?
    bool changes_something(Range element) const {
        for (size_t i = element.begin; i < element.end; ++i)
            if (is_one_of(i, {"++", "--", "=", "+=", "("})) return true;
        return false;
    }

    bool reads_another(const Step& step) const {
        const std::string written = tokens_.slice(step.element.begin, step.element.end);
        for (size_t i = step.operation + 1; i < step.end; ++i) {
            if (tokens_.text(i) != step.array || !tokens_.is(i + 1, "[")) continue;
            const size_t close = tokens_.closing(i + 1);
            if (close != npos && tokens_.slice(i, close + 1) != written) return true;
        }
        return false;
    }

    void put_in_step(const Step& step, TextEdits& edits) const {
        const std::string element = tokens_.slice(step.element.begin, step.element.end);
        const std::string_view operation = tokens_.text(step.operation);
        const std::string combine =
            operation == "=" ? "" : concat({element, " ", std::string(operation.substr(0, operation.size() - 1)), " "});
        edits.replace(tokens_[step.element.begin].begin, tokens_[step.operation].end,
                      concat({"{ ", kBarrier, " auto cuda_shim_step = ", combine, "("}));
        edits.replace(tokens_[step.end].begin, tokens_[step.end].end,
                      concat({"); ", kBarrier, " ", element, " = cuda_shim_step; ", kBarrier, " }"}));
    }

    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    std::vector<Declaration> globals_, locals_;  // with `volatile`, outside of functions and in them
};

}  // namespace

std::string with_warp_steps(const std::string& text) {
    if (text.find("volatile") == std::string::npos || text.find("__shared__") == std::string::npos) return text;
    const TranslationUnit unit(text);
    return WarpSteps(unit).apply();
}

}  // namespace cuda_shim
