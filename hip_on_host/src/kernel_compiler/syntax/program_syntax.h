// The front end: the syntax of a program, as Clang reads it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {

class ProgramSyntax {
public:
    explicit ProgramSyntax(std::unique_ptr<const SyntaxTree> tree) : tree_(std::move(tree)), calls_(*tree_) {}

    const SyntaxTree& tree() const { return *tree_; }
    const CallGraph& calls() const { return calls_; }

private:
    const std::unique_ptr<const SyntaxTree> tree_;
    const CallGraph calls_;
};

// Has Clang read the program. `command`: its command with all flags, but for the file. `further`: text behind the
// program that asks for instantiations of its templates. Null, with the reason in `problem`, where it cannot be read.
std::unique_ptr<const ProgramSyntax> read_program(const std::vector<std::string>& command, const TokenStream& tokens,
                                                  const std::string& further, const std::string& file,
                                                  std::string& problem);

}  // namespace cuda_shim
