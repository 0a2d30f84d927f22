#include "kernel_compiler/split/write_out_calls.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel_compiler/split/lane_loops.h"
#include "kernel_compiler/split/written_function.h"
#include "kernel_compiler/words.h"

namespace cuda_shim {
namespace {

constexpr int kMostCalls = 64;  // more, and something calls itself
// Limit for functions that only compute: each inlined copy is compiled again, in a form that takes compilers 0.2
// seconds.
constexpr size_t kMostThatCompute = 4;

bool is_prefix(const std::string& scope, const std::string& of) { return of.compare(0, scope.size(), scope) == 0; }

// A kernel's body, or that of a function which is written out in it, as text.
class CallWriter {
public:
    CallWriter(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
               const LineMap& lines)
        : unit_(unit),
          tokens_(unit.tokens()),
          kernel_(kernel),
          calls_(calls),
          tree_(calls.tree()),
          lines_(lines),
          kernel_syntax_(calls, kernel.body_open) {
        count_computing_calls();
    }

    std::string body() {
        const std::unique_ptr<Statement> root = build_statements(kernel_syntax_);
        const std::string text = statement(*root, {kernel_syntax_, nullptr});
        return number_ ? text : "";
    }

private:
    // The function being written: the kernel, or one inlined in it.
    struct Frame {
        const FunctionSyntax& syntax;
        const WrittenFunction* function;
        std::string renamed(const TokenStream& tokens, Range range) const {
            if (range.empty()) return "";
            return function ? function->renamed(range) : tokens.slice(range.begin, range.end);
        }
    };
    struct Call {
        NodeIndex node;
        const FunctionDeclaration* function;
        bool computes;
    };

    const FunctionDeclaration* function_at(size_t body_open) const {
        for (const FunctionDeclaration& function : unit_.functions())
            if (function.defined() && function.body_open == body_open) return &function;
        return nullptr;
    }

    // The function that the call runs, in every instantiation; null where that is none to write out.
    const FunctionDeclaration* callee(NodeIndex call) const {
        const Callee called = calls_.callee(call);
        if (called.definition == kNoNode || tree_[called.definition].kind != NodeKind::Function) return nullptr;
        const NodeIndex body = tree_.body(called.definition);
        if (tree_[body].tokens.empty()) return nullptr;
        const FunctionDeclaration* function = function_at(tree_[body].tokens.begin);
        return function && !function->kernel && !function->method ? function : nullptr;
    }

    bool computes(const FunctionDeclaration& function) {
        const auto known = computes_.find(&function);
        if (known != computes_.end()) return known->second;
        bool alone = false;
        try {
            const FunctionSyntax syntax(calls_, function.body_open);
            alone = computes_alone(syntax, *build_statements(syntax));
        } catch (const NotSplit&) {  // then it is called as it is
        }
        return computes_[&function] = alone;
    }

    void count_computing_calls() {
        std::set<size_t> places;
        kernel_syntax_.each_within(tree_[kernel_syntax_.structure_body()].tokens, [&](NodeIndex node) {
            if (tree_[node].kind != NodeKind::Call || calls_.waits(node)) return;
            const FunctionDeclaration* function = callee(node);
            if (function && computes(*function)) places.insert(tree_[node].tokens.begin);
        });
        too_many_compute_ = places.size() > kMostThatCompute;
    }

    // Calls in the range that are to be written out and can be, each behind those among its arguments.
    std::vector<Call> calls_in(Range range, const Frame& frame) {
        std::map<std::pair<size_t, size_t>, Call> found;
        std::set<std::pair<size_t, size_t>> refused;
        frame.syntax.each_within(range, [&](NodeIndex node) {
            if (tree_[node].kind != NodeKind::Call || tree_[node].is_dependent()) return;
            const FunctionDeclaration* function = callee(node);
            if (!function) return;
            const bool computing = !calls_.waits(node);
            if (computing && (too_many_compute_ || !computes(*function))) return;
            const auto place = std::make_pair(tree_[node].tokens.end, tree_[node].tokens.begin);
            const auto same = found.find(place);
            if (same != found.end() && same->second.function != function) refused.insert(place);
            found.emplace(place, Call{node, function, computing});
        });
        std::vector<Call> calls;
        for (const auto& [place, call] : found)
            if (!refused.count(place) && can_be_moved(call.node, range)) calls.push_back(call);
        return calls;
    }

    // May the call be made before the rest of its expression, once and always?
    bool can_be_moved(NodeIndex call, Range range) const {
        for (NodeIndex at = call, above = tree_[at].parent; above != kNoNode; at = above, above = tree_[at].parent) {
            const SyntaxNode& node = tree_[above];
            if (node.tokens.empty() || !range.holds(node.tokens)) break;
            const bool first = tree_.child(above, 0) == at;
            switch (node.kind) {
                case NodeKind::Binary:
                    // These operators evaluate the left side first.
                    if (!first && (node.operation == "&&" || node.operation == "||" || node.operation == "<<" ||
                                   node.operation == ">>"))
                        return false;
                    if (node.operation == ",") return false;
                    break;
                case NodeKind::Conditional:
                    if (!first) return false;
                    break;
                case NodeKind::Lambda:
                case NodeKind::Sizeof:
                case NodeKind::InitList:
                case NodeKind::Atomic:
                case NodeKind::Other:
                    return false;
                default:
                    break;
            }
        }
        return nothing_else_changes(call, range);
    }

    // Beside the call: the assignment of the whole alone. Arguments of one call are evaluated in no order.
    bool nothing_else_changes(NodeIndex call, Range range) const {
        Range own = tree_[call].tokens;
        NodeIndex top = call;
        for (NodeIndex at = tree_[call].parent; at != kNoNode && range.holds(tree_[at].tokens); at = tree_[at].parent) {
            if (tree_[at].tokens.empty()) break;
            if (tree_[at].kind == NodeKind::Call) own = tree_[at].tokens;
            top = at;
        }
        for (NodeIndex i = top; i < tree_[top].end; ++i) {
            const SyntaxNode& node = tree_[i];
            const bool changes = (node.kind == NodeKind::Binary && node.operation == "=") ||
                                 node.kind == NodeKind::CompoundAssign || node.operation == "++" ||
                                 node.operation == "--";
            const bool whole = node.tokens.begin == range.begin && node.tokens.end == range.end;
            if (changes && !whole && !own.holds(node.tokens)) return false;
        }
        return true;
    }
    std::string statement(const Statement& statement, const Frame& frame) {
        const std::string line = lines_.directive(statement.range.begin);
        switch (statement.kind) {
            case Statement::Compound:
                return compound(statement, frame);
            case Statement::If:
                return if_statement(statement, frame);
            case Statement::For:
            case Statement::While:
            case Statement::DoWhile: {
                const Range body = statement.children[0]->range;
                const Range head{statement.range.begin, body.begin}, tail{body.end, statement.range.end};
                return concat({line, frame.renamed(tokens_, head), " ", this->statement(*statement.children[0], frame),
                               " ", frame.renamed(tokens_, tail)});
            }
            case Statement::Expression:
                return expression_statement(statement, frame);
            case Statement::Declare:
                return line + declare(statement, frame);
            case Statement::Barrier:
                return concat({line, tokens_.slice(statement.expression.begin, statement.expression.end), ";"});
            default:
                return line + frame.renamed(tokens_, statement.range);
        }
    }

    // The operands of commas are evaluated one after the other.
    std::string expression_statement(const Statement& statement, const Frame& frame) {
        const std::string line = lines_.directive(statement.range.begin);
        if (calls_in(statement.expression, frame).empty() && frame.syntax.comma_parts(statement.expression).size() < 2)
            return concat({line, frame.renamed(tokens_, statement.expression), ";"});
        std::string text = "\n{\n";
        for (const Range& part : frame.syntax.comma_parts(statement.expression)) {
            std::string before;
            const std::string value = expression(part, frame, before);
            append(text, {before, line, value, ";\n"});
        }
        return text + "}";
    }

    std::string compound(const Statement& statement, const Frame& frame) {
        std::string text = " {\n";
        for (const auto& child : statement.children) append(text, {this->statement(*child, frame), "\n"});
        return text + "} ";
    }

    std::string if_statement(const Statement& statement, const Frame& frame) {
        std::string before;
        const std::string condition = statement.constexpr_if ? frame.renamed(tokens_, statement.condition)
                                                             : expression(statement.condition, frame, before);
        std::string text = concat({before.empty() ? "" : "\n{\n", before, lines_.directive(statement.range.begin),
                                   statement.constexpr_if ? "if constexpr (" : "if (", condition, ") {",
                                   this->statement(*statement.children[0], frame), "\n}"});
        if (statement.children.size() > 1)
            append(text, {" else {", this->statement(*statement.children[1], frame), "\n}"});
        return before.empty() ? text : text + "\n}";
    }

    // One name after the other: calls in one's first value come behind those before it.
    std::string declare(const Statement& statement, const Frame& frame) {
        const Declaration& declaration = *statement.declaration;
        bool calls = false;
        for (const Declarator& declarator : declaration.declarators)
            calls = calls || (!declarator.initial.empty() && !calls_in(declarator.initial, frame).empty());
        if (declaration.kind == Declaration::Verbatim || !calls)
            return frame.renamed(tokens_, statement.range) + (tokens_.is(statement.range.end - 1, ";") ? "" : ";");
        std::string text;
        for (const Declarator& declarator : declaration.declarators) {
            std::string before;
            const std::string value = expression(declarator.initial, frame, before);
            append(text, {before, frame.renamed(tokens_, declaration.specifiers), " ",
                          frame.renamed(tokens_, declarator.range)});
            switch (declarator.initialiser) {
                case Declarator::None:
                    break;
                case Declarator::Assigned:
                    append(text, {" = ", value});
                    break;
                case Declarator::Parenthesised:
                    append(text, {"(", value, ")"});
                    break;
                case Declarator::Braced:
                    append(text, {"{", value, "}"});
                    break;
            }
            text += ";\n";
        }
        return text;
    }

    // The expression with its calls replaced by their results; `before` gets the text that computes those.
    std::string expression(Range range, const Frame& frame, std::string& before) {
        std::vector<std::pair<Range, std::string>> results;
        if (range.empty()) return "";
        std::vector<Call> calls = calls_in(range, frame);
        const Range assigned = assigned_value(range, frame);
        // The assigned value is computed before the place that it is assigned to.
        const auto on_the_right = [&](const Call& call) { return assigned.holds(tree_[call.node].tokens); };
        const bool both_sides = !assigned.empty() && !std::all_of(calls.begin(), calls.end(), on_the_right);
        if (both_sides) {
            std::vector<Call> ordered;
            for (const bool right : {true, false})
                for (const Call& call : calls)
                    if (on_the_right(call) == right) ordered.push_back(call);
            calls = std::move(ordered);
        }
        bool value_kept = !both_sides;
        const auto keep_value = [&] {
            const std::string value = concat({"cuda_shim_i", std::to_string(number_++), "_assigned"});
            append(before, {"const auto ", value, " = (", replaced(assigned, frame, results), ");\n"});
            results.emplace_back(assigned, value);
            value_kept = true;
        };
        for (const Call& call : calls) {
            if (!value_kept && !on_the_right(call)) keep_value();
            try {
                std::string text;
                const std::string result = write_out(call, frame, results, text);
                before += text;
                results.emplace_back(tree_[call.node].tokens, result);
            } catch (const NotSplit&) {
                if (!call.computes) throw;
            }
        }
        return replaced(range, frame, results);
    }

    // The text of an assignment's value; empty where the expression is something else.
    Range assigned_value(Range range, const Frame& frame) const {
        for (NodeIndex root : frame.syntax.roots(range)) {
            const NodeIndex node = tree_.without_parens(root);
            const bool assigns = (tree_[node].kind == NodeKind::Binary && tree_[node].operation == "=") ||
                                 tree_[node].kind == NodeKind::CompoundAssign;
            if (assigns) return tree_[tree_.child(node, 1)].tokens;
        }
        return {};
    }

    std::string replaced(Range range, const Frame& frame, std::vector<std::pair<Range, std::string>> results) {
        std::sort(results.begin(), results.end(),
                  [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
        std::string text;
        size_t copied = range.begin;
        for (const auto& [own, result] : results) {
            const bool inner = std::any_of(results.begin(), results.end(), [&, at = own](const auto& other) {
                return (other.first.begin != at.begin || other.first.end != at.end) && other.first.holds(at) &&
                       range.holds(other.first);
            });
            if (inner || !range.holds(own) || own.begin < copied) continue;
            append(text, {frame.renamed(tokens_, {copied, own.begin}), " ", result, " "});
            copied = own.end;
        }
        return text + frame.renamed(tokens_, {copied, range.end});
    }

    std::string write_out(const Call& call, const Frame& frame,
                          const std::vector<std::pair<Range, std::string>>& results, std::string& text) {
        if (number_ >= kMostCalls) throw NotSplit("functions that call themselves");
        WrittenFunction function(unit_, *call.function, calls_, number_++, call.computes);
        check_names(function);
        if (function.has_static_variables() && !written_static_.insert(call.function).second)
            throw NotSplit(concat({call.function->name, " shares memory between its calls"}));
        text = function.parameters(arguments(call.node, frame, results), template_arguments(call.node, frame));
        text += function.result_place();
        text += statements(function);
        return function.has_result() ? function.result() : "(void)0";
    }

    std::vector<WrittenFunction::Argument> arguments(NodeIndex call, const Frame& frame,
                                                     const std::vector<std::pair<Range, std::string>>& results) {
        std::vector<WrittenFunction::Argument> found;
        for (NodeIndex child : tree_.children(call)) {
            if (child == call + 1) continue;
            if (tree_[child].kind == NodeKind::DefaultArgument || tree_[child].tokens.empty())
                throw NotSplit("a function that is called with fewer arguments");
            NodeIndex value = tree_.without_parens(child);
            const bool converted = tree_[value].kind == NodeKind::MaterialiseTemporary ||
                                   tree_[value].kind == NodeKind::Construct ||
                                   tree_[value].kind == NodeKind::BindTemporary;
            WrittenFunction::Argument argument;
            argument.text = concat({"(", replaced(tree_[child].tokens, frame, results), ")"});
            argument.object = !converted;
            found.push_back(std::move(argument));
        }
        return found;
    }

    // "float" and "16" of sum<float, 16>(x).
    std::vector<std::string> template_arguments(NodeIndex call, const Frame& frame) const {
        std::vector<std::string> found;
        const Range own = tree_[call].tokens;
        size_t at = own.begin;
        while (at < own.end && !tokens_.is(at, "<") && !tokens_.is(at, "(")) ++at;
        if (!tokens_.is(at, "<")) return found;
        const size_t close = tokens_.closing_angle(at, own.end);
        if (close == TokenStream::npos) throw NotSplit("template arguments that are not understood");
        size_t begin = at + 1;
        for (size_t i = begin; i <= close; ++i) {
            if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{")) {
                i = tokens_.closing(i);
            } else if (tokens_.is(i, "<")) {
                const size_t angle = tokens_.closing_angle(i, close);
                if (angle != TokenStream::npos) i = angle;
            } else if (tokens_.is(i, ",") || i == close) {
                found.push_back(frame.renamed(tokens_, {begin, i}));
                begin = i + 1;
            }
        }
        return found;
    }

    std::string statements(const WrittenFunction& function) {
        const Frame frame{function.body().syntax(), &function};
        std::string text, closing;
        const Statement* last = function.last_return();
        for (const auto& child : function.body().root().children) {
            if (child.get() == last) {
                std::string before;
                const std::string value = expression(last->expression, frame, before);
                append(text, {before, "\n", function.result_place().empty() ? function.return_type() : "",
                              function.result(), " = ", value, ";\n"});
            } else {
                append(text, {statement(*child, frame), "\n"});
            }
            if (!function.returns_early_in(child->range)) continue;
            append(text, {"if (!", function.prefix(), "returned) {\n"});
            closing += "}\n";
        }
        return text + closing;
    }

    // The function's names must mean the same in the kernel.
    void check_names(const WrittenFunction& function) const {
        const FunctionDeclaration& declared = function.declaration();
        for (const std::string& name : function.free_names()) {
            if (kernel_syntax_.declarations_of(name) || kernel_.template_parameters.count(name))
                throw NotSplit(
                    concat({declared.name, " waits for threads and uses ", name, ", of which the kernel has its own"}));
            for (NodeIndex i = 0; i < tree_.size(); ++i)
                if (tree_[i].name == name && tree_[i].name_token != TokenStream::npos && is_of_namespace(i))
                    check_visible(i, declared);
        }
        if (kernel_syntax_.declarations_of(declared.name))
            throw NotSplit(concat({"the kernel has a ", declared.name, " of its own"}));
        for (size_t i = declared.body_close; i < kernel_.body_open; ++i)
            if (tokens_.is(i, "using") && tokens_.is(i + 1, "namespace"))
                throw NotSplit(concat({"names mean something else since ", declared.name}));
    }

    bool is_of_namespace(NodeIndex node) const {
        for (NodeIndex at = tree_[node].parent; at != kNoNode; at = tree_[at].parent)
            if (tree_[at].is_function() || tree_[at].kind == NodeKind::Record) return false;
        return tree_[node].kind != NodeKind::Parameter && tree_[node].kind != NodeKind::Reference &&
               tree_[node].kind != NodeKind::Member && tree_[node].kind != NodeKind::TemplateParameter;
    }

    void check_visible(NodeIndex node, const FunctionDeclaration& function) const {
        std::string scope;
        for (NodeIndex at = tree_[node].parent; at != kNoNode; at = tree_[at].parent)
            if (tree_[at].kind == NodeKind::Namespace && !tree_[at].name.empty())
                scope = concat({tree_[at].name, "::", scope});
        const bool before = tree_[node].name_token < function.body_open;
        if (!before || !is_prefix(scope, function.scope) || !is_prefix(scope, kernel_.scope))
            throw NotSplit(
                concat({tree_[node].name, " may mean something else in the kernel than in ", function.name}));
    }

    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    const FunctionDeclaration& kernel_;
    const CallGraph& calls_;
    const SyntaxTree& tree_;
    const LineMap& lines_;
    const FunctionSyntax kernel_syntax_;
    std::map<const FunctionDeclaration*, bool> computes_;
    std::set<const FunctionDeclaration*> written_static_;
    bool too_many_compute_ = false;
    int number_ = 0;  // calls inlined so far
};

}  // namespace

std::string write_out_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
                            const LineMap& lines, std::string& reason) {
    try {
        return CallWriter(unit, kernel, calls, lines).body();
    } catch (const NotSplit& refused) {
        reason = refused.what();
        return "";
    }
}

}  // namespace cuda_shim
