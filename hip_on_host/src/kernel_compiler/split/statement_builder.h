// Makes the tree of statements from a function's syntax tree.
#pragma once
#include "kernel_compiler/split/statement.h"

namespace cuda_shim {

class StatementBuilder {
public:
    explicit StatementBuilder(const FunctionSyntax& function)
        : function_(function), tree_(function.tree()), tokens_(function.tokens()) {}

    std::unique_ptr<Statement> build();

private:
    using Made = std::unique_ptr<Statement>;
    using List = std::vector<Made>;
    void add(NodeIndex node, List& to);
    void add_expression(NodeIndex node, List& to);
    Made compound(NodeIndex node);
    Made if_statement(NodeIndex node);
    Made for_statement(NodeIndex node);
    Made while_statement(NodeIndex node);
    Made do_statement(NodeIndex node);
    Made simple(NodeIndex node, Statement::Kind kind);
    Made declare(NodeIndex node);
    Made with_initialisers(NodeIndex node, size_t count, Made made);
    Made make(Statement::Kind kind, NodeIndex node, Range range) const;
    Made one(NodeIndex node);
    void finish(Statement& statement) const;
    void add_pragmas(size_t begin, size_t end, List& to) const;
    bool is_barrier(NodeIndex expression) const;
    Range text_of(NodeIndex node) const;
    size_t behind_semicolon(Range range) const;

    // declaration_builder.cpp
    std::unique_ptr<Declaration> declaration(NodeIndex declare) const;
    bool is_verbatim(NodeIndex declared) const;
    bool is_known_constant(NodeIndex variable) const;
    Declarator declarator(NodeIndex variable, size_t begin) const;
    size_t specifiers_end(size_t begin, size_t name) const;
    size_t behind_declarator(size_t name, bool function) const;
    size_t closing(size_t token) const;

    const FunctionSyntax& function_;
    const SyntaxTree& tree_;
    const TokenStream& tokens_;
};

}  // namespace cuda_shim
