// The statements of a kernel's body, as a tree over its tokens.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernel_compiler/split/function_syntax.h"

namespace cuda_shim {

// One name of a declaration.
struct Declarator {
    NodeIndex node = kNoNode;  // the variable's
    size_t name = 0;           // the name's token
    Range range;               // "* const p[16]": the text between the specifiers and the initialiser
    enum Initialiser { None, Assigned, Parenthesised, Braced } initialiser = None;
    Range initial;      // the initialiser without = and outer parentheses or braces
    int variable = -1;  // index into KernelBody::variables
};

struct Declaration {
    // Verbatim: a declaration with no value of a thread (shared memory, types, constants known while compiling).
    enum Kind { Variables, Verbatim } kind = Variables;
    NodeIndex node = kNoNode;
    Range specifiers;
    std::vector<Declarator> declarators;
};

struct Statement {
    enum Kind {
        Compound,
        If,
        For,
        RangeFor,
        While,
        DoWhile,
        Switch,
        Return,
        Break,
        Continue,
        Expression,
        Declare,
        Empty,
        Pragma,
        Barrier,
        Other,  // asm: understood as text only
    };
    Kind kind = Empty;
    NodeIndex node = kNoNode;
    Range range;       // with its semicolon
    Range expression;  // of Expression, and of a Return that gives a value: without it
    Range init, condition, step;
    std::vector<std::unique_ptr<Statement>> children;
    std::unique_ptr<Declaration> declaration;  // in Declare, and in a For whose init declares
    bool constexpr_if = false;
    bool split = false;  // threads meet inside

    // The statements in its braces; itself where there are none.
    std::vector<const Statement*> statements() const;
};

inline bool is_loop(const Statement& statement) {
    return statement.kind == Statement::For || statement.kind == Statement::RangeFor ||
           statement.kind == Statement::While || statement.kind == Statement::DoWhile;
}

// Tokens of break, continue and return in the statement that leave it (for a loop around it, or the function).
struct Jump {
    size_t token;
    Statement::Kind kind;
};
std::vector<Jump> leaving_jumps(const SyntaxTree& tree, const Statement& statement);

// Does it hold a return, or a break or continue that leaves it? Where an If's condition is the same for all threads
// such a statement is real control flow of the whole block.
bool holds_jump(const SyntaxTree& tree, const Statement& statement);

// The function's body. Throws NotSplit.
std::unique_ptr<Statement> build_statements(const FunctionSyntax& function);

}  // namespace cuda_shim
