#include "kernel_compiler/analyse/spin_waits.h"

#include <algorithm>
#include <string_view>

#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/syntax/polling_loops.h"
#include "kernel_compiler/analyse/word_reachability.h"

namespace cuda_shim {
namespace {

bool observes_memory(std::string_view word) {
    return word == "volatile" || word == "asm" || word == "__asm__" || starts_with(word, "__asm") ||
           word.find("atomic") != std::string_view::npos || word.find("fence") != std::string_view::npos ||
           starts_with(word, "__ldc") || starts_with(word, "__sync") || word == "__nanosleep";
}

// The `while` that ends a `do`; npos where it is not found.
size_t end_of_do(const TokenStream& tokens, size_t keyword) {
    size_t i = keyword + 1;
    while (i < tokens.size() && !tokens.is(i, ";") && !tokens.is(i, "{"))
        i = tokens.closing(i) != TokenStream::npos && tokens.closing(i) > i ? tokens.closing(i) + 1 : i + 1;
    const size_t end = tokens.is(i, "{") ? tokens.closing(i) : i;
    return end != TokenStream::npos && tokens.is(end + 1, "while") ? end + 1 : TokenStream::npos;
}

}  // namespace

SpinWaits::SpinWaits(const TranslationUnit& unit, const ProgramSyntax* syntax) {
    if (syntax)
        find_by_tree(syntax->tree(), syntax->calls());
    else
        find_by_words(unit);
}

void SpinWaits::find_by_tree(const SyntaxTree& tree, const CallGraph& calls) {
    const PollingLoops polling_loops(calls);
    std::set<size_t> tokens;  // a template's text is in the tree once for each of its instantiations
    for (NodeIndex loop : polling_loops.loops()) {
        const SyntaxNode& node = tree[loop];
        const bool function = node.is_function(), label = node.kind == NodeKind::Jump;
        const NodeIndex body = polling_loops.body(loop);
        if (tree[body].tokens.empty()) continue;
        const size_t token = tree[body].tokens.begin + (label ? 1 : 0);  // the label's colon
        if (tokens.insert(token).second) iterations_.push_back({token, !function && !label});
    }
    waiting_bodies_ = polling_loops.polling_bodies();
}

void SpinWaits::find_by_words(const TranslationUnit& unit) {
    const TokenStream& tokens = unit.tokens();
    const WordReachability words(unit, observes_memory);
    for (const FunctionDeclaration& function : unit.functions())
        if (function.kernel && words.by(function)) waiting_bodies_.insert(function.body_open);
    std::set<size_t> do_ends;
    std::set<std::string_view> labels;
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens.is(i, "goto")) labels.insert(tokens.text(i + 1));
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (!words.by_function_around(i)) continue;
        if (tokens.is(i, "do")) {
            do_ends.insert(end_of_do(tokens, i));
            iterations_.push_back({i + 1, true});
        }
        const bool loop = tokens.is(i, "for") || (tokens.is(i, "while") && !do_ends.count(i));
        const size_t close = loop && tokens.is(i + 1, "(") ? tokens.closing(i + 1) : TokenStream::npos;
        if (close != TokenStream::npos) iterations_.push_back({close + 1, true});
        // A jump back makes a loop of the code behind its label; a class's `private:` is no label.
        const bool label = tokens.is_identifier(i) && tokens.is(i + 1, ":") && i > 0 &&
                           (tokens.is(i - 1, ";") || tokens.is(i - 1, "{") || tokens.is(i - 1, "}")) &&
                           labels.count(tokens.text(i)) != 0;
        if (label) iterations_.push_back({i + 1, false});
    }
}

}  // namespace cuda_shim
