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
    std::vector<const Statement*> held;
    for (const auto& child : children) held.push_back(child.get());
    return held;
}

std::unique_ptr<Statement> build_statements(const FunctionSyntax& function) {
    return StatementBuilder(function).build();
}

StatementBuilder::Made StatementBuilder::build() {
    const NodeIndex body = function_.structure_body();
    for (NodeIndex i = body; i < tree_[body].end; ++i)
        if (tree_[i].kind == NodeKind::Jump) throw NotSplit("goto, a label or try");
    return compound(body);
}

// The node's place in the program's text.
Range StatementBuilder::text_of(NodeIndex node) const {
    if (node == kNoNode || tree_[node].tokens.empty()) throw NotSplit("a statement of a macro");
    return tree_[node].tokens;
}

size_t StatementBuilder::behind_semicolon(Range range) const {
    if (tokens_.is(range.end - 1, ";")) return range.end;
    if (!tokens_.is(range.end, ";")) throw NotSplit("a statement whose end is not found");
    return range.end + 1;
}

StatementBuilder::Made StatementBuilder::make(Statement::Kind kind, NodeIndex node, Range range) const {
    auto made = std::make_unique<Statement>();
    made->kind = kind;
    made->node = node;
    made->range = range;
    return made;
}

void StatementBuilder::finish(Statement& statement) const { statement.split = function_.waits(statement.range); }

void StatementBuilder::add_pragmas(size_t begin, size_t end, List& to) const {
    for (size_t i = begin; i < end; ++i)  // others are marks of lines
        if (tokens_[i].kind == Token::Directive && tokens_.text(i).find("pragma") != std::string_view::npos)
            to.push_back(make(Statement::Pragma, kNoNode, {i, i + 1}));
}

StatementBuilder::Made StatementBuilder::compound(NodeIndex node) {
    Made made = make(Statement::Compound, node, text_of(node));
    size_t behind = made->range.begin + 1;
    for (NodeIndex child : tree_.children(node)) {
        if (tree_[child].kind == NodeKind::Absent) continue;
        add_pragmas(behind, text_of(child).end, made->children);
        const size_t before = made->children.size();
        add(child, made->children);
        behind = made->children.size() > before ? made->children.back()->range.end : text_of(child).end;
    }
    finish(*made);
    return made;
}

StatementBuilder::Made StatementBuilder::one(NodeIndex node) {
    List list;
    add(node, list);
    if (list.size() == 1) return std::move(list.front());
    // `x = 1, __syncthreads();` where one statement was expected.
    Made made = make(Statement::Compound, node, text_of(node));
    made->range.end = list.empty() ? made->range.end : list.back()->range.end;
    made->children = std::move(list);
    finish(*made);
    return made;
}

void StatementBuilder::add(NodeIndex node, List& to) {
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
            return to.push_back(declare(node));
        case NodeKind::Return:
            return to.push_back(simple(node, Statement::Return));
        case NodeKind::Break:
            return to.push_back(simple(node, Statement::Break));
        case NodeKind::Continue:
            return to.push_back(simple(node, Statement::Continue));
        case NodeKind::Null:
            return to.push_back(make(Statement::Empty, node, text_of(node)));
        case NodeKind::Assembly:
            return to.push_back(simple(node, Statement::Other));
        case NodeKind::Switch:
        case NodeKind::RangeFor: {
            const bool is_switch = tree_[node].kind == NodeKind::Switch;
            Made made = make(is_switch ? Statement::Switch : Statement::RangeFor, node, text_of(node));
            // Its body may be a statement that ends behind its last token.
            if (!tokens_.is(made->range.end - 1, "}")) made->range.end = behind_semicolon(made->range);
            finish(*made);
            if (made->split) throw NotSplit(is_switch ? "a barrier in a switch" : "a barrier in a range-based for");
            return to.push_back(std::move(made));
        }
        case NodeKind::Attributed:
            for (NodeIndex child : tree_.children(node))
                if (tree_[child].kind != NodeKind::Attribute) return add(child, to);
            throw NotSplit("attributes that are not understood");
        default:
            return add_expression(node, to);
    }
}

StatementBuilder::Made StatementBuilder::simple(NodeIndex node, Statement::Kind kind) {
    Made made = make(kind, node, text_of(node));
    made->range.end = behind_semicolon(made->range);
    if (kind == Statement::Return && made->range.end > made->range.begin + 2)
        made->expression = {made->range.begin + 1, made->range.end - 1};
    finish(*made);
    return made;
}

// Is it a call of a barrier, and nothing else?
bool StatementBuilder::is_barrier(NodeIndex expression) const {
    NodeIndex node = tree_.without_parens(expression);
    if (tree_[node].kind == NodeKind::ValueCast && tree_[node].operation == "ToVoid")
        node = tree_.without_parens(tree_.child(node, 0));
    if (tree_[node].kind != NodeKind::Call) return false;
    const Callee called = function_.calls().callee(node);
    if (!called.of_prelude ||
        (called.name != "__syncthreads" && called.name != "__syncwarp" && called.name != "__syncblock"))
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
    const size_t end = behind_semicolon(range);
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
            const Range own = text_of(*part);
            Made made =
                make(is_barrier(*part) ? Statement::Barrier : Statement::Expression, *part, {own.begin, own.end + 1});
            made->expression = own;
            finish(*made);
            to.push_back(std::move(made));
        }
        return;
    }
    Made made = make(is_barrier(node) ? Statement::Barrier : Statement::Expression, node, {range.begin, end});
    made->expression = {range.begin, end - 1};
    finish(*made);
    to.push_back(std::move(made));
}

// `if (int x = f(); x > 1)` and `if (int x = f())`: the declarations before, in a scope of their own.
StatementBuilder::Made StatementBuilder::with_initialisers(NodeIndex node, size_t count, Made made) {
    Made scope = make(Statement::Compound, node, made->range);
    scope->split = made->split;
    for (size_t i = 0; i < count; ++i) add(tree_.child(node, i), scope->children);
    scope->children.push_back(std::move(made));
    return scope;
}

StatementBuilder::Made StatementBuilder::if_statement(NodeIndex index) {
    const SyntaxNode& node = tree_[index];
    Made made = make(Statement::If, index, text_of(index));
    const size_t first = (node.has_init ? 1 : 0) + (node.has_variable ? 1 : 0);
    made->constexpr_if = node.constant;
    made->condition = text_of(tree_.child(index, first));
    made->children.push_back(one(tree_.child(index, first + 1)));
    if (node.has_else) made->children.push_back(one(tree_.child(index, first + 2)));
    made->range.end = made->children.back()->range.end;
    finish(*made);
    if (node.has_variable && !made->split) {  // text alone, with the variable where it stands
        made->kind = Statement::Other;
        made->children.clear();
    }
    return first > 0 && made->split ? with_initialisers(index, first, std::move(made)) : std::move(made);
}

StatementBuilder::Made StatementBuilder::for_statement(NodeIndex index) {
    Made made = make(Statement::For, index, text_of(index));
    const std::vector<NodeIndex> parts = tree_.children(index);
    if (parts.size() != 5 || tree_[parts[1]].kind != NodeKind::Absent) throw NotSplit("a for that is not understood");
    const auto there = [&](size_t part) { return tree_[parts[part]].kind != NodeKind::Absent; };
    if (there(0) && tree_[parts[0]].kind != NodeKind::Null) {
        made->init = text_of(parts[0]);
        if (tokens_.is(made->init.end - 1, ";")) --made->init.end;
        if (tree_[parts[0]].kind == NodeKind::Declare) made->declaration = declaration(parts[0]);
    }
    if (there(2)) made->condition = text_of(parts[2]);
    if (there(3)) made->step = text_of(parts[3]);
    made->children.push_back(one(parts[4]));
    made->range.end = made->children.back()->range.end;
    finish(*made);
    return made;
}

StatementBuilder::Made StatementBuilder::while_statement(NodeIndex index) {
    Made made = make(Statement::While, index, text_of(index));
    if (tree_[index].has_variable) throw NotSplit("a declaration as the condition of a while");
    made->condition = text_of(tree_.child(index, 0));
    made->children.push_back(one(tree_.child(index, 1)));
    made->range.end = made->children.back()->range.end;
    finish(*made);
    return made;
}

StatementBuilder::Made StatementBuilder::do_statement(NodeIndex index) {
    Made made = make(Statement::DoWhile, index, text_of(index));
    made->children.push_back(one(tree_.child(index, 0)));
    made->condition = text_of(tree_.child(index, 1));
    made->range.end = behind_semicolon(made->range);
    finish(*made);
    return made;
}

StatementBuilder::Made StatementBuilder::declare(NodeIndex node) {
    Made made = make(Statement::Declare, node, text_of(node));
    if (!tokens_.is(made->range.end, ")")) made->range.end = behind_semicolon(made->range);  // but in a condition
    made->declaration = declaration(node);
    finish(*made);
    return made;
}

}  // namespace cuda_shim
