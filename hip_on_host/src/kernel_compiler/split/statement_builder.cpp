#include "kernel_compiler/split/statement_builder.h"

namespace cuda_shim {
namespace {

// Jumps below a node that lead out of it. Functions within functions have jumps of their own.
void collect_jumps(const SyntaxTree& tree, NodeIndex index, bool in_loop, bool in_switch, std::vector<Jump>& jumps) {
    const SyntaxNode& node = tree[index];
    switch (node.kind) {
        case NodeKind::Return:
            jumps.push_back({node.tokens.begin, Statement::Return});
            return;
        case NodeKind::Break:
            if (!in_loop && !in_switch) jumps.push_back({node.tokens.begin, Statement::Break});
            return;
        case NodeKind::Continue:
            if (!in_loop) jumps.push_back({node.tokens.begin, Statement::Continue});
            return;
        case NodeKind::For:
        case NodeKind::RangeFor:
        case NodeKind::While:
        case NodeKind::Do:
            in_loop = true;
            break;
        case NodeKind::Switch:
            in_switch = true;
            break;
        case NodeKind::Lambda:
        case NodeKind::Record:
            return;
        default:
            break;
    }
    for (NodeIndex child : tree.children(index)) collect_jumps(tree, child, in_loop, in_switch, jumps);
}

}  // namespace

std::vector<Jump> leaving_jumps(const SyntaxTree& tree, const Statement& statement) {
    std::vector<Jump> jumps;
    const bool has_node = statement.kind != Statement::Pragma && statement.kind != Statement::Barrier;
    if (has_node && statement.node != kNoNode) collect_jumps(tree, statement.node, false, false, jumps);
    return jumps;
}

bool holds_jump(const SyntaxTree& tree, const Statement& statement) { return !leaving_jumps(tree, statement).empty(); }

std::vector<const Statement*> Statement::statements() const {
    if (kind != Compound) return {this};
    std::vector<const Statement*> statements;
    for (const auto& child : children) statements.push_back(child.get());
    return statements;
}

std::unique_ptr<Statement> build_statements(const FunctionSyntax& function) {
    return StatementBuilder(function).build();
}

StatementBuilder::StatementPtr StatementBuilder::build() {
    const NodeIndex body = function_.structure_body();
    for (NodeIndex i = body; i < tree_[body].end; ++i)
        if (tree_[i].kind == NodeKind::Jump) throw NotSplit("goto, a label or try");
    return compound(body);
}

// The node's place in the program's text.
Range StatementBuilder::text_of(NodeIndex node) const {
    if (node == kNoNode || tree_[node].tokens.empty()) throw NotSplit("a statement inside a macro's expansion");
    return tree_[node].tokens;
}

size_t StatementBuilder::end_with_semicolon(Range range) const {
    if (tokens_.is(range.end - 1, ";")) return range.end;
    if (!tokens_.is(range.end, ";")) throw NotSplit("a statement without a semicolon of its own at the end");
    return range.end + 1;
}

StatementBuilder::StatementPtr StatementBuilder::make_statement(Statement::Kind kind, NodeIndex node,
                                                                Range range) const {
    auto statement = std::make_unique<Statement>();
    statement->kind = kind;
    statement->node = node;
    statement->range = range;
    return statement;
}

void StatementBuilder::mark_split(Statement& statement) const { statement.split = function_.waits(statement.range); }

void StatementBuilder::add_pragmas(size_t begin, size_t end, List& to) const {
    for (size_t i = begin; i < end; ++i)  // others are marks of lines
        if (tokens_[i].kind == Token::Directive && tokens_.text(i).find("pragma") != std::string_view::npos)
            to.push_back(make_statement(Statement::Pragma, kNoNode, {i, i + 1}));
}

StatementBuilder::StatementPtr StatementBuilder::compound(NodeIndex node) {
    StatementPtr statement = make_statement(Statement::Compound, node, text_of(node));
    size_t behind = statement->range.begin + 1;
    for (NodeIndex child : tree_.children(node)) {
        if (tree_[child].kind == NodeKind::Absent) continue;
        add_pragmas(behind, text_of(child).end, statement->children);
        const size_t before = statement->children.size();
        add(child, statement->children);
        behind = statement->children.size() > before ? statement->children.back()->range.end : text_of(child).end;
    }
    mark_split(*statement);
    return statement;
}

StatementBuilder::StatementPtr StatementBuilder::single_statement(NodeIndex node) {
    List list;
    add(node, list);
    if (list.size() == 1) return std::move(list.front());
    // `x = 1, __syncthreads();` where one statement was expected.
    StatementPtr statement = make_statement(Statement::Compound, node, text_of(node));
    statement->range.end = list.empty() ? statement->range.end : list.back()->range.end;
    statement->children = std::move(list);
    mark_split(*statement);
    return statement;
}

void StatementBuilder::add(NodeIndex node, List& to) {
    if (node == kNoNode) throw NotSplit("a statement without the usual parts, such as `if consteval`");
    switch (tree_[node].kind) {
        case NodeKind::Compound:
            return to.push_back(compound(node));
        case NodeKind::If:
            return to.push_back(if_statement(node));
        case NodeKind::For:
            return to.push_back(for_statement(node));
        case NodeKind::While:
            return to.push_back(while_statement(node));
        case NodeKind::Do:
            return to.push_back(do_statement(node));
        case NodeKind::Declare:
            return to.push_back(declare_statement(node));
        case NodeKind::Return:
            return to.push_back(simple_statement(node, Statement::Return));
        case NodeKind::Break:
            return to.push_back(simple_statement(node, Statement::Break));
        case NodeKind::Continue:
            return to.push_back(simple_statement(node, Statement::Continue));
        case NodeKind::Null:
            return to.push_back(make_statement(Statement::Empty, node, text_of(node)));
        case NodeKind::Assembly:
            return to.push_back(simple_statement(node, Statement::Other));
        case NodeKind::Switch:
        case NodeKind::RangeFor: {
            const bool is_switch = tree_[node].kind == NodeKind::Switch;
            StatementPtr statement =
                make_statement(is_switch ? Statement::Switch : Statement::RangeFor, node, text_of(node));
            // Its body may be a statement that ends behind its last token.
            if (!tokens_.is(statement->range.end - 1, "}")) statement->range.end = end_with_semicolon(statement->range);
            mark_split(*statement);
            if (statement->split)
                throw NotSplit(is_switch ? "a barrier in a switch" : "a barrier in a range-based for");
            return to.push_back(std::move(statement));
        }
        case NodeKind::Attributed:
            for (NodeIndex child : tree_.children(node))
                if (tree_[child].kind != NodeKind::Attribute) return add(child, to);
            throw NotSplit("attributes without a statement");
        default:
            return add_expression(node, to);
    }
}

StatementBuilder::StatementPtr StatementBuilder::simple_statement(NodeIndex node, Statement::Kind kind) {
    StatementPtr statement = make_statement(kind, node, text_of(node));
    statement->range.end = end_with_semicolon(statement->range);
    if (kind == Statement::Return && statement->range.end > statement->range.begin + 2)
        statement->expression = {statement->range.begin + 1, statement->range.end - 1};
    mark_split(*statement);
    return statement;
}

// Is it a call of a barrier, and nothing else?
bool StatementBuilder::is_barrier(NodeIndex expression) const {
    NodeIndex node = tree_.without_parens(expression);
    if (tree_[node].kind == NodeKind::ValueCast && tree_[node].operation == "ToVoid")
        node = tree_.without_parens(tree_.child(node, 0));
    if (tree_[node].kind != NodeKind::Call) return false;
    const Callee callee = function_.calls().callee(node);
    if (!callee.of_prelude ||
        (callee.name != "__syncthreads" && callee.name != "__syncwarp" && callee.name != "__syncblock"))
        return false;
    for (NodeIndex i = node + 1; i < tree_[node].end; ++i)  // a mask that does something is evaluated
        if (tree_[i].kind == NodeKind::Call || tree_[i].kind == NodeKind::CompoundAssign ||
            (tree_[i].kind == NodeKind::Binary && tree_[i].operation == "=") || tree_[i].operation == "++" ||
            tree_[i].operation == "--" || tree_[i].kind == NodeKind::Atomic || tree_[i].kind == NodeKind::Other)
            return false;
    return true;
}

// If threads meet in the expression, the operands of its commas become statements, one after the other.
void StatementBuilder::add_expression(NodeIndex node, List& to) {
    const Range range = text_of(node);
    const size_t end = end_with_semicolon(range);
    const NodeIndex inner = tree_[node].kind == NodeKind::WithCleanups ? tree_.child(node, 0) : node;
    const bool comma = tree_[inner].kind == NodeKind::Binary && tree_[inner].operation == ",";
    if (comma && function_.waits(range)) {
        std::vector<NodeIndex> parts = {inner};
        for (NodeIndex first = inner; tree_[first].kind == NodeKind::Binary && tree_[first].operation == ",";
             first = tree_.child(first, 0)) {
            parts.pop_back();
            parts.push_back(tree_.child(first, 1));
            parts.push_back(tree_.child(first, 0));
        }
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            const Range operand = text_of(*part);
            StatementPtr statement = make_statement(is_barrier(*part) ? Statement::Barrier : Statement::Expression,
                                                    *part, {operand.begin, operand.end + 1});
            statement->expression = operand;
            mark_split(*statement);
            to.push_back(std::move(statement));
        }
        return;
    }
    StatementPtr statement =
        make_statement(is_barrier(node) ? Statement::Barrier : Statement::Expression, node, {range.begin, end});
    statement->expression = {range.begin, end - 1};
    mark_split(*statement);
    to.push_back(std::move(statement));
}

// `if (int x = f(); x > 1)` and `if (int x = f())`: the declarations before, in a scope of their own.
StatementBuilder::StatementPtr StatementBuilder::with_initialisers(NodeIndex node, size_t count,
                                                                   StatementPtr statement) {
    StatementPtr scope = make_statement(Statement::Compound, node, statement->range);
    scope->split = statement->split;
    for (size_t i = 0; i < count; ++i) add(tree_.child(node, i), scope->children);
    scope->children.push_back(std::move(statement));
    return scope;
}

StatementBuilder::StatementPtr StatementBuilder::if_statement(NodeIndex index) {
    const SyntaxNode& node = tree_[index];
    StatementPtr statement = make_statement(Statement::If, index, text_of(index));
    const size_t first = (node.has_init ? 1 : 0) + (node.has_variable ? 1 : 0);
    statement->constexpr_if = node.constant;
    statement->condition = text_of(tree_.child(index, first));
    statement->children.push_back(single_statement(tree_.child(index, first + 1)));
    if (node.has_else) statement->children.push_back(single_statement(tree_.child(index, first + 2)));
    statement->range.end = statement->children.back()->range.end;
    mark_split(*statement);
    if (node.has_variable && !statement->split) {  // text alone, with the variable where it stands
        statement->kind = Statement::Other;
        statement->children.clear();
    }
    return first > 0 && statement->split ? with_initialisers(index, first, std::move(statement)) : std::move(statement);
}

StatementBuilder::StatementPtr StatementBuilder::for_statement(NodeIndex index) {
    StatementPtr statement = make_statement(Statement::For, index, text_of(index));
    const std::vector<NodeIndex> parts = tree_.children(index);
    if (parts.size() != 5 || tree_[parts[1]].kind != NodeKind::Absent)
        throw NotSplit("a for loop that declares a variable in its condition");
    const auto is_present = [&](size_t part) { return tree_[parts[part]].kind != NodeKind::Absent; };
    if (is_present(0) && tree_[parts[0]].kind != NodeKind::Null) {
        statement->init = text_of(parts[0]);
        if (tokens_.is(statement->init.end - 1, ";")) --statement->init.end;
        if (tree_[parts[0]].kind == NodeKind::Declare) statement->declaration = declaration(parts[0]);
    }
    if (is_present(2)) statement->condition = text_of(parts[2]);
    if (is_present(3)) statement->step = text_of(parts[3]);
    statement->children.push_back(single_statement(parts[4]));
    statement->range.end = statement->children.back()->range.end;
    mark_split(*statement);
    return statement;
}

StatementBuilder::StatementPtr StatementBuilder::while_statement(NodeIndex index) {
    StatementPtr statement = make_statement(Statement::While, index, text_of(index));
    if (tree_[index].has_variable) throw NotSplit("a while loop that declares a variable in its condition");
    statement->condition = text_of(tree_.child(index, 0));
    statement->children.push_back(single_statement(tree_.child(index, 1)));
    statement->range.end = statement->children.back()->range.end;
    mark_split(*statement);
    return statement;
}

StatementBuilder::StatementPtr StatementBuilder::do_statement(NodeIndex index) {
    StatementPtr statement = make_statement(Statement::DoWhile, index, text_of(index));
    statement->children.push_back(single_statement(tree_.child(index, 0)));
    statement->condition = text_of(tree_.child(index, 1));
    statement->range.end = end_with_semicolon(statement->range);
    mark_split(*statement);
    return statement;
}

StatementBuilder::StatementPtr StatementBuilder::declare_statement(NodeIndex node) {
    StatementPtr statement = make_statement(Statement::Declare, node, text_of(node));
    if (!tokens_.is(statement->range.end, ")"))
        statement->range.end = end_with_semicolon(statement->range);  // but in a condition
    statement->declaration = declaration(node);
    mark_split(*statement);
    return statement;
}

}  // namespace cuda_shim
