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
    using StatementPtr = std::unique_ptr<Statement>;
    using List = std::vector<StatementPtr>;
    void add(NodeIndex node, List& to);
    void add_expression(NodeIndex node, List& to);
    StatementPtr compound(NodeIndex node);
    StatementPtr if_statement(NodeIndex node);
    StatementPtr for_statement(NodeIndex node);
    StatementPtr while_statement(NodeIndex node);
    StatementPtr do_statement(NodeIndex node);
    StatementPtr simple_statement(NodeIndex node, Statement::Kind kind);
    StatementPtr declare_statement(NodeIndex node);
    StatementPtr with_initialisers(NodeIndex node, size_t count, StatementPtr statement);
    StatementPtr make_statement(Statement::Kind kind, NodeIndex node, Range range) const;
    StatementPtr single_statement(NodeIndex node);
    void mark_split(Statement& statement) const;
    void add_pragmas(size_t begin, size_t end, List& to) const;
    bool is_barrier(NodeIndex expression) const;
    Range text_of(NodeIndex node) const;
    size_t end_with_semicolon(Range range) const;

    // declaration_builder.cpp
    std::unique_ptr<Declaration> declaration(NodeIndex declare_statement) const;
    bool is_verbatim(NodeIndex declaration_node) const;
    bool is_known_constant(NodeIndex variable) const;
    Declarator declarator(NodeIndex variable, size_t begin) const;
    size_t specifiers_end(size_t begin, size_t name) const;
    size_t declarator_end(size_t name, bool function) const;
    size_t closing_token(size_t token) const;

    const FunctionSyntax& function_;
    const SyntaxTree& tree_;
    const TokenStream& tokens_;
};

}  // namespace cuda_shim
