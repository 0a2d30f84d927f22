// Spin waits: loops in which threads wait for others without a barrier. hiprtc counts their iterations, so that the
// engine notices a thread that waits.
#pragma once
#include <set>
#include <vector>

#include "kernel_compiler/syntax/program_syntax.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

// A place in the program's text that is passed in each iteration of a loop that may wait.
struct CountedIteration {
    size_t token;
    bool statement;  // the statement that begins with the token is repeated; else the code behind it
};

class SpinWaits {
public:
    // `syntax`: the program's syntax, null where there is no Clang to read it: then every loop may wait that reaches a
    // word which looks at memory that others write.
    SpinWaits(const TranslationUnit& unit, const ProgramSyntax* syntax);

    // May threads of the kernel wait in a loop?
    bool may_wait(const FunctionDeclaration& kernel) const { return waiting_bodies_.count(kernel.body_open) != 0; }
    // The places at which iterations are counted.
    const std::vector<CountedIteration>& iterations() const { return iterations_; }

private:
    void find_by_tree(const SyntaxTree& tree, const CallGraph& calls);
    void find_by_words(const TranslationUnit& unit);

    std::vector<CountedIteration> iterations_;
    std::set<size_t> waiting_bodies_;  // bodies of kernels, by the brace that opens them
};

}  // namespace cuda_shim
