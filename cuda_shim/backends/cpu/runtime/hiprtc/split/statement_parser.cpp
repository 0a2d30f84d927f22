#include "hiprtc/split/statement.h"

namespace cuda_shim {

std::vector<Range> split_at_commas(const TokenStream& tokens, Range range) {
    std::vector<Range> parts;
    size_t begin = range.begin;
    for (size_t i = range.begin; i < range.end; ++i) {
        if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{"))
            i = tokens.closing(i);
        else if (tokens.is(i, "<") && tokens.closing_angle(i, range.end) != TokenStream::npos)
            i = tokens.closing_angle(i, range.end);
        else if (tokens.is(i, ","))
            parts.push_back({begin, i}), begin = i + 1;
    }
    if (begin < range.end) parts.push_back({begin, range.end});
    return parts;
}

std::vector<const Statement*> Statement::statements() const {
    if (kind != Compound) return {this};
    std::vector<const Statement*> held;
    for (const auto& child : children) held.push_back(child.get());
    return held;
}

std::unique_ptr<Statement> StatementParser::parse(size_t open) { return compound(open); }

StatementParser::Parsed StatementParser::make(Statement::Kind kind, size_t at) const {
    auto made = std::make_unique<Statement>();
    made->kind = kind;
    made->range.begin = at;
    return made;
}

void StatementParser::finish(Statement& statement, size_t end) const {
    statement.range.end = end;
    statement.split = unit_.synchronises(tokens_, statement.range.begin, end);
}

size_t StatementParser::closing(size_t at) const {
    const size_t close = tokens_.closing(at);
    if (close == TokenStream::npos || close < at) throw NotSplit("unbalanced brackets");
    return close;
}

// The semicolon that ends the statement at `at`.
size_t StatementParser::semicolon(size_t at) const {
    for (size_t i = at; i < tokens_.size(); ++i) {
        if (tokens_.is(i, ";")) return i;
        if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{"))
            i = closing(i);
        else if (tokens_.is(i, "}") || tokens_.is(i, ")"))
            break;
    }
    throw NotSplit("a statement without its end");
}

StatementParser::Parsed StatementParser::statement(size_t& at) {
    if (tokens_[at].kind == Token::Directive) {
        Parsed pragma = make(Statement::Pragma, at++);
        finish(*pragma, at);
        return pragma;
    }
    if (tokens_.is(at, "{")) return compound(at);
    if (tokens_.is(at, "if")) return if_statement(at);
    if (tokens_.is(at, "for")) return for_statement(at);
    if (tokens_.is(at, "while")) return while_statement(at);
    if (tokens_.is(at, "do")) return do_statement(at);
    if (tokens_.is(at, "switch")) return switch_statement(at);
    return simple_statement(at);
}

StatementParser::Parsed StatementParser::compound(size_t& at) {
    Parsed made = make(Statement::Compound, at);
    const size_t close = closing(at++);
    while (at < close) made->children.push_back(statement(at));
    finish(*made, ++at);
    return made;
}

StatementParser::Parsed StatementParser::if_statement(size_t& at) {
    Parsed made = make(Statement::If, at++);
    if (tokens_.is(at, "constexpr")) {
        made->constexpr_if = true;
        ++at;
    }
    const size_t close = closing(at);
    made->condition = {at + 1, close};
    for (size_t i = at + 1; i < close; ++i)
        if (tokens_.is(i, ";")) throw NotSplit("an if statement with an initialiser");
    at = close + 1;
    made->children.push_back(statement(at));
    if (tokens_.is(at, "else")) {
        ++at;
        made->children.push_back(statement(at));
    }
    finish(*made, at);
    return made;
}

StatementParser::Parsed StatementParser::for_statement(size_t& at) {
    Parsed made = make(Statement::For, at++);
    const size_t open = at, close = closing(at);
    std::vector<size_t> semicolons;
    for (size_t i = open + 1; i < close; ++i) {
        if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{"))
            i = closing(i);
        else if (tokens_.is(i, ";"))
            semicolons.push_back(i);
    }
    if (semicolons.size() == 2) {
        made->init = {open + 1, semicolons[0]};
        made->condition = {semicolons[0] + 1, semicolons[1]};
        made->step = {semicolons[1] + 1, close};
        if (begins_declaration(open + 1, semicolons[0])) made->declaration = declaration(open + 1, semicolons[0]);
    } else {
        made->kind = Statement::RangeFor;
    }
    at = close + 1;
    made->children.push_back(statement(at));
    finish(*made, at);
    if (made->kind == Statement::RangeFor && made->split) throw NotSplit("a barrier in a range-based for");
    return made;
}

StatementParser::Parsed StatementParser::while_statement(size_t& at) {
    Parsed made = make(Statement::While, at++);
    const size_t close = closing(at);
    made->condition = {at + 1, close};
    at = close + 1;
    made->children.push_back(statement(at));
    finish(*made, at);
    return made;
}

StatementParser::Parsed StatementParser::do_statement(size_t& at) {
    Parsed made = make(Statement::DoWhile, at++);
    made->children.push_back(statement(at));
    if (!tokens_.is(at, "while")) throw NotSplit("a do without its while");
    const size_t close = closing(++at);
    made->condition = {at + 1, close};
    at = close + 2;  // and the semicolon
    finish(*made, at);
    return made;
}

StatementParser::Parsed StatementParser::switch_statement(size_t& at) {
    Parsed made = make(Statement::Switch, at++);
    at = closing(at) + 1;
    if (!tokens_.is(at, "{")) throw NotSplit("a switch without braces");
    at = closing(at) + 1;
    finish(*made, at);
    if (made->split) throw NotSplit("a barrier in a switch");
    return made;
}

StatementParser::Parsed StatementParser::simple_statement(size_t& at) {
    Parsed made = make(Statement::Expression, at);
    const std::string_view word = tokens_.text(at);
    const bool label = tokens_.is_identifier(at) && tokens_.is(at + 1, ":");
    if (label || word == "goto" || word == "try" || word == "asm" || word == "__asm__" || word == "case" ||
        word == "default" || word == "struct" || word == "class" || word == "union" || word == "enum") {
        // Text is enough where it lies between barriers. A label could be jumped to across them.
        if (label || word == "goto" || word == "try" || word == "case" || word == "default")
            throw NotSplit("goto, a label or try");
    }
    const size_t end = semicolon(at);
    if (word == "return") {
        made->kind = Statement::Return;
        if (end != at + 1) made->condition = {at + 1, end};
    } else if (word == "break") {
        made->kind = Statement::Break;
    } else if (word == "continue") {
        made->kind = Statement::Continue;
    } else if (end == at) {
        made->kind = Statement::Empty;
    } else if ((word == "__syncthreads" || word == "__syncwarp" || word == "__syncblock") && tokens_.is(at + 1, "(") &&
               closing(at + 1) + 1 == end) {
        made->kind = Statement::Barrier;
    } else if (word == "asm" || word == "__asm__") {
        made->kind = Statement::Other;
    } else if (begins_declaration(at, end)) {
        made->kind = Statement::Declare;
        made->declaration = declaration(at, end);
    }
    at = end + 1;
    finish(*made, at);
    return made;
}

}  // namespace cuda_shim
