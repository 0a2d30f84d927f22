// Where threads of a program may wait for others without a barrier: in loops whose end depends on memory that others
// write.
#pragma once
#include <set>
#include <vector>

#include "kernel_compiler/syntax/program_syntax.h"
#include "kernel_compiler/translation_unit.h"

namespace cuda_shim {

// A place in the program's text that is passed in each round of a loop that may wait.
struct CountedRound {
    size_t token;
    bool statement;  // the statement that begins with the token is repeated; else what comes behind it
};

class Waiting {
public:
    // `syntax`: what Clang says of the program. Null where no Clang could be asked: every loop may wait then from which
    // a word is reached that looks at what others write.
    Waiting(const TranslationUnit& unit, const ProgramSyntax* syntax);

    // May threads of the kernel wait in a loop?
    bool may_wait(const FunctionDeclaration& kernel) const { return waiting_bodies_.count(kernel.body_open) != 0; }
    // Where each round is to be counted.
    const std::vector<CountedRound>& rounds() const { return rounds_; }

private:
    void find_by_tree(const SyntaxTree& tree, const CallGraph& calls);
    void find_by_words(const TranslationUnit& unit);

    std::vector<CountedRound> rounds_;
    std::set<size_t> waiting_bodies_;  // of kernels, by the brace that opens them
};

}  // namespace cuda_shim
