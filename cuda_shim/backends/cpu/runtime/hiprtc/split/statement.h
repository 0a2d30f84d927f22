// The statements of a kernel's body, as a tree over its tokens.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hiprtc/translation_unit.h"

namespace cuda_shim {

// Why a kernel is not split; it runs on fibres then, which is always right.
class NotSplit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Range {
    size_t begin = 0, end = 0;  // token indices
    bool empty() const { return begin >= end; }
};

// What commas separate, but for those in brackets, of template arguments too.
std::vector<Range> split_at_commas(const TokenStream& tokens, Range range);

struct Declarator {
    size_t name = 0;      // the name's token
    std::string pointer;  // "*", "* const", "&" between the specifiers and the name
    Range bounds;         // "[16][16]"
    enum Initialiser { None, Assigned, Parenthesised, Braced } initialiser = None;
    Range initial;  // the initialiser without = and outer parentheses or braces
    bool reference = false;
    int variable = -1;  // index into KernelBody::variables
};

struct Declaration {
    // Verbatim: what says nothing about a thread (shared memory, types, constants known while compiling).
    enum Kind { Variables, Verbatim } kind = Variables;
    Range specifiers;
    bool is_auto = false;
    bool is_shared = false;
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
        Other,  // goto, labels, try, asm: understood as text only
    };
    Kind kind = Empty;
    Range range;
    Range init, condition, step;
    std::vector<std::unique_ptr<Statement>> children;
    std::unique_ptr<Declaration> declaration;  // of Declare, and of a For whose init declares
    bool constexpr_if = false;
    bool split = false;  // threads meet inside

    // What its braces hold; itself where there are none.
    std::vector<const Statement*> statements() const;
};

inline bool is_loop(const Statement& statement) {
    return statement.kind == Statement::For || statement.kind == Statement::RangeFor ||
           statement.kind == Statement::While || statement.kind == Statement::DoWhile;
}

class StatementParser {
public:
    StatementParser(const TokenStream& tokens, const TranslationUnit& unit) : tokens_(tokens), unit_(unit) {}

    // Parses the compound statement whose { is token `open`. Throws NotSplit.
    std::unique_ptr<Statement> parse(size_t open);

private:
    using Parsed = std::unique_ptr<Statement>;
    Parsed statement(size_t& at);
    Parsed compound(size_t& at);
    Parsed if_statement(size_t& at);
    Parsed for_statement(size_t& at);
    Parsed while_statement(size_t& at);
    Parsed do_statement(size_t& at);
    Parsed switch_statement(size_t& at);
    Parsed simple_statement(size_t& at);
    Parsed make(Statement::Kind kind, size_t at) const;
    void finish(Statement& statement, size_t end) const;
    size_t semicolon(size_t at) const;
    size_t closing(size_t at) const;
    bool begins_declaration(size_t begin, size_t end) const;
    std::unique_ptr<Declaration> declaration(size_t begin, size_t end) const;
    size_t parse_specifiers(Declaration& declaration, size_t begin, size_t end) const;
    size_t parse_declarator(Declaration& declaration, size_t at, size_t end) const;
    size_t template_arguments_end(size_t at, size_t end) const;

    const TokenStream& tokens_;
    const TranslationUnit& unit_;
};

// A type that C++ or the prelude names by one word ("int", "size_t", "float4").
bool is_builtin_type(std::string_view word);

}  // namespace cuda_shim
