// The passes of the kernel compiler: the way of a program's text to the text of a module, in order.
//
// Passes with an edit take a text and leave one, and nothing else. `python -m hip_on_host compile FILE --after NAME`
// prints what a pass left.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "kernel_compiler/compile_context.h"

namespace cuda_shim {

struct Preparation {
    const CompileContext& context;
    bool prefers_own_functions;  // the program defines a function of the prelude, or one of its own twice
};

struct Pass {
    const char* name;
    const char* promise;                      // of the text that it leaves
    bool (*applies)(const Preparation&);      // null: always
    std::string (*edit)(const std::string&);  // null for passes that need more than a text
};

// The names of passes without an edit.
inline constexpr char kMacrosPass[] = "macros";
inline constexpr char kOwnMacrosPass[] = "own-macros";
inline constexpr char kConversionsPass[] = "float-conversions";
inline constexpr char kInlinedCallsPass[] = "inlined-calls";
inline constexpr char kFormsPass[] = "forms";
inline constexpr char kModulePass[] = "module";

const std::vector<Pass>& passes();

// Keeps what one pass left, for the one who asked.
class PassWatch {
public:
    // "" where nobody asked.
    explicit PassWatch(std::string wanted) : wanted_(std::move(wanted)) {}

    // True once the wanted pass has left its text: no further pass runs.
    bool saw(std::string_view pass, const std::string& text) {
        if (!ended_ && pass == wanted_) ended_ = true, text_ = text;
        return ended_;
    }
    bool ended() const { return ended_; }
    bool waits() const { return !wanted_.empty() && !ended_; }
    const std::string& wanted() const { return wanted_; }
    const std::string& text() const { return text_; }

private:
    const std::string wanted_;
    std::string text_;
    bool ended_ = false;
};

// A text as it is read.
struct PreparedText {
    std::string text;
    std::string own_macros;  // lines at its beginning that end macros of the prelude, empty for none
};

// Runs the passes with an edit, and those before the program is read.
PreparedText prepare(std::string expanded_text, const Preparation& preparation, PassWatch& watch);

}  // namespace cuda_shim
