#include "kernel_compiler/split/inline_calls.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel_compiler/split/divergent_loops.h"
#include "kernel_compiler/split/hoisted_call.h"
#include "kernel_compiler/split/inlined_function.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr int kMaxInlinedCalls = 64;  // a function that calls itself reaches it
// Limit for calls of functions that only compute: each inlined copy takes compilers 0.2 seconds.
constexpr size_t kMaxArithmeticCalls = 4;

bool is_prefix(const std::string& scope, const std::string& of) { return of.compare(0, scope.size(), scope) == 0; }

// Copies a kernel's body, and those of the functions inlined in it, as text.
class CallInliner {
public:
    CallInliner(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
                const LineMap& lines)
        : unit_(unit),
          tokens_(unit.tokens()),
          kernel_(kernel),
          calls_(calls),
          tree_(calls.tree()),
          lines_(lines),
          kernel_syntax_(calls, kernel.body_open) {
        count_arithmetic_calls();
    }

    std::string body() {
        const std::unique_ptr<Statement> root = build_statements(kernel_syntax_);
        const std::string text = statement(*root, {kernel_syntax_, nullptr});
        return inlined_calls_ ? text : "";
    }

private:
    // The function being written: the kernel, or one inlined in it.
    struct InlineFrame {
        const FunctionSyntax& syntax;
        const InlinedFunction* function;
        std::string renamed(const TokenStream& tokens, Range range) const {
            if (range.empty()) return "";
            return function ? function->renamed(range) : tokens.slice(range.begin, range.end);
        }
    };
    struct Call {
        NodeIndex node;
        const FunctionDeclaration* function;
        bool is_arithmetic;
    };

    const FunctionDeclaration* function_at(size_t body_open) const {
        for (const FunctionDeclaration& function : unit_.functions())
            if (function.defined() && function.body_open == body_open) return &function;
        return nullptr;
    }

    // The function that the call runs, in every instantiation; null where it cannot be inlined.
    const FunctionDeclaration* callee(NodeIndex call) const {
        const Callee target = calls_.callee(call);
        if (target.definition == kNoNode || tree_[target.definition].kind != NodeKind::Function) return nullptr;
        const NodeIndex body = tree_.body(target.definition);
        if (tree_[body].tokens.empty()) return nullptr;
        const FunctionDeclaration* function = function_at(tree_[body].tokens.begin);
        return function && !function->kernel && !function->method ? function : nullptr;
    }

    bool is_arithmetic(const FunctionDeclaration& function) {
        const auto cached = arithmetic_functions_.find(&function);
        if (cached != arithmetic_functions_.end()) return cached->second;
        bool result = false;
        try {
            const FunctionSyntax syntax(calls_, function.body_open);
            result = is_arithmetic_function(syntax, *build_statements(syntax));
        } catch (const NotSplit&) {  // then it is called as it is
        }
        return arithmetic_functions_[&function] = result;
    }

    void count_arithmetic_calls() {
        std::set<size_t> places;
        kernel_syntax_.for_each_within(tree_[kernel_syntax_.structure_body()].tokens, [&](NodeIndex node) {
            if (tree_[node].kind != NodeKind::Call || calls_.waits(node)) return;
            const FunctionDeclaration* function = callee(node);
            if (function && is_arithmetic(*function)) places.insert(tree_[node].tokens.begin);
        });
        too_many_arithmetic_calls_ = places.size() > kMaxArithmeticCalls;
    }

    // The calls in the range that are inlined, each behind those among its arguments.
    std::vector<Call> calls_in(Range range, const InlineFrame& caller) {
        std::map<std::pair<size_t, size_t>, Call> calls_by_place;
        std::set<std::pair<size_t, size_t>> rejected;
        caller.syntax.for_each_within(range, [&](NodeIndex node) {
            if (tree_[node].kind != NodeKind::Call || tree_[node].is_dependent()) return;
            const FunctionDeclaration* function = callee(node);
            if (!function) return;
            const bool has_no_barrier = !calls_.waits(node);
            if (has_no_barrier && (too_many_arithmetic_calls_ || !is_arithmetic(*function))) return;
            const auto place = std::make_pair(tree_[node].tokens.end, tree_[node].tokens.begin);
            const auto other = calls_by_place.find(place);
            if (other != calls_by_place.end() && other->second.function != function) rejected.insert(place);
            calls_by_place.emplace(place, Call{node, function, has_no_barrier});
        });
        std::vector<Call> calls;
        for (const auto& [place, call] : calls_by_place)
            if (!rejected.count(place) && can_be_hoisted(tree_, call.node, range)) calls.push_back(call);
        return calls;
    }

    std::string statement(const Statement& statement, const InlineFrame& caller) {
        const std::string line = lines_.directive(statement.range.begin);
        switch (statement.kind) {
            case Statement::Compound:
                return compound(statement, caller);
            case Statement::If:
                return if_statement(statement, caller);
            case Statement::For:
            case Statement::While:
            case Statement::DoWhile: {
                const Range body = statement.children[0]->range;
                const Range head{statement.range.begin, body.begin}, tail{body.end, statement.range.end};
                return concat({line, caller.renamed(tokens_, head), " ",
                               this->statement(*statement.children[0], caller), " ", caller.renamed(tokens_, tail)});
            }
            case Statement::Expression:
                return expression_statement(statement, caller);
            case Statement::Declare:
                return line + declare(statement, caller);
            case Statement::Barrier:
                return concat({line, tokens_.slice(statement.expression.begin, statement.expression.end), ";"});
            default:
                return line + caller.renamed(tokens_, statement.range);
        }
    }

    // The operands of commas are evaluated one after the other.
    std::string expression_statement(const Statement& statement, const InlineFrame& caller) {
        const std::string line = lines_.directive(statement.range.begin);
        if (calls_in(statement.expression, caller).empty() &&
            caller.syntax.comma_parts(statement.expression).size() < 2)
            return concat({line, caller.renamed(tokens_, statement.expression), ";"});
        std::string text = "\n{\n";
        for (const Range& part : caller.syntax.comma_parts(statement.expression)) {
            std::string before;
            const std::string value = expression(part, caller, before);
            append(text, {before, line, value, ";\n"});
        }
        return text + "}";
    }

    std::string compound(const Statement& statement, const InlineFrame& caller) {
        std::string text = " {\n";
        for (const auto& child : statement.children) append(text, {this->statement(*child, caller), "\n"});
        return text + "} ";
    }

    std::string if_statement(const Statement& statement, const InlineFrame& caller) {
        std::string before;
        const std::string condition = statement.constexpr_if ? caller.renamed(tokens_, statement.condition)
                                                             : expression(statement.condition, caller, before);
        std::string text = concat({before.empty() ? "" : "\n{\n", before, lines_.directive(statement.range.begin),
                                   statement.constexpr_if ? "if constexpr (" : "if (", condition, ") {",
                                   this->statement(*statement.children[0], caller), "\n}"});
        if (statement.children.size() > 1)
            append(text, {" else {", this->statement(*statement.children[1], caller), "\n}"});
        return before.empty() ? text : text + "\n}";
    }

    // One name after the other: calls in one's first value come behind those before it.
    std::string declare(const Statement& statement, const InlineFrame& caller) {
        const Declaration& declaration = *statement.declaration;
        bool calls = false;
        for (const Declarator& declarator : declaration.declarators)
            calls = calls || (!declarator.initial.empty() && !calls_in(declarator.initial, caller).empty());
        if (declaration.kind == Declaration::Verbatim || !calls)
            return caller.renamed(tokens_, statement.range) + (tokens_.is(statement.range.end - 1, ";") ? "" : ";");
        std::string text;
        for (const Declarator& declarator : declaration.declarators) {
            std::string before;
            const std::string value = expression(declarator.initial, caller, before);
            append(text, {before, caller.renamed(tokens_, declaration.specifiers), " ",
                          caller.renamed(tokens_, declarator.range)});
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
    std::string expression(Range range, const InlineFrame& caller, std::string& before) {
        std::vector<std::pair<Range, std::string>> results;
        if (range.empty()) return "";
        std::vector<Call> calls = calls_in(range, caller);
        const Range assigned = assigned_value(range, caller);
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
        bool value_saved = !both_sides;
        const auto save_value = [&] {
            const std::string value = concat({"cuda_shim_i", std::to_string(inlined_calls_++), "_assigned"});
            append(before, {"const auto ", value, " = (", substituted(assigned, caller, results), ");\n"});
            results.emplace_back(assigned, value);
            value_saved = true;
        };
        for (const Call& call : calls) {
            if (!value_saved && !on_the_right(call)) save_value();
            try {
                std::string text;
                const std::string result = inline_call(call, caller, results, text);
                before += text;
                results.emplace_back(tree_[call.node].tokens, result);
            } catch (const NotSplit&) {
                if (!call.is_arithmetic) throw;
            }
        }
        return substituted(range, caller, results);
    }

    // The text of an assignment's value; empty where the expression is something else.
    Range assigned_value(Range range, const InlineFrame& caller) const {
        for (NodeIndex root : caller.syntax.roots(range)) {
            const NodeIndex node = tree_.without_parens(root);
            const bool assigns = (tree_[node].kind == NodeKind::Binary && tree_[node].operation == "=") ||
                                 tree_[node].kind == NodeKind::CompoundAssign;
            if (assigns) return tree_[tree_.child(node, 1)].tokens;
        }
        return {};
    }

    std::string substituted(Range range, const InlineFrame& caller,
                            std::vector<std::pair<Range, std::string>> results) {
        std::sort(results.begin(), results.end(),
                  [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
        std::string text;
        size_t copied = range.begin;
        for (const auto& [call, result] : results) {
            const bool is_nested =
                std::any_of(results.begin(), results.end(), [&, call_range = call](const auto& other) {
                    return (other.first.begin != call_range.begin || other.first.end != call_range.end) &&
                           other.first.holds(call_range) && range.holds(other.first);
                });
            if (is_nested || !range.holds(call) || call.begin < copied) continue;
            append(text, {caller.renamed(tokens_, {copied, call.begin}), " ", result, " "});
            copied = call.end;
        }
        return text + caller.renamed(tokens_, {copied, range.end});
    }

    std::string inline_call(const Call& call, const InlineFrame& caller,
                            const std::vector<std::pair<Range, std::string>>& results, std::string& text) {
        if (inlined_calls_ >= kMaxInlinedCalls)
            throw NotSplit(
                concat({"more than ", std::to_string(kMaxInlinedCalls), " calls to inline, as in recursion"}));
        InlinedFunction function(unit_, *call.function, calls_, inlined_calls_++, call.is_arithmetic);
        check_names(function);
        if (function.has_static_variables() && !inlined_static_.insert(call.function).second)
            throw NotSplit(
                concat({call.function->name, " has static or shared variables and is called several times"}));
        text = function.parameters(arguments(call.node, caller, results), template_arguments(call.node, caller));
        text += function.result_place();
        text += statements(function);
        return function.has_result() ? function.result() : "(void)0";
    }

    std::vector<InlinedFunction::Argument> arguments(NodeIndex call, const InlineFrame& caller,
                                                     const std::vector<std::pair<Range, std::string>>& results) {
        std::vector<InlinedFunction::Argument> arguments;
        for (NodeIndex child : tree_.children(call)) {
            if (child == call + 1) continue;
            if (tree_[child].kind == NodeKind::DefaultArgument || tree_[child].tokens.empty())
                throw NotSplit("a call that omits arguments or takes them from a macro");
            NodeIndex value = tree_.without_parens(child);
            const bool is_temporary = tree_[value].kind == NodeKind::MaterialiseTemporary ||
                                      tree_[value].kind == NodeKind::Construct ||
                                      tree_[value].kind == NodeKind::BindTemporary;
            InlinedFunction::Argument argument;
            argument.text = concat({"(", substituted(tree_[child].tokens, caller, results), ")"});
            argument.object = !is_temporary;
            arguments.push_back(std::move(argument));
        }
        return arguments;
    }

    // "float" and "16" of sum<float, 16>(x).
    std::vector<std::string> template_arguments(NodeIndex call, const InlineFrame& caller) const {
        std::vector<std::string> arguments;
        const Range call_tokens = tree_[call].tokens;
        size_t at = call_tokens.begin;
        while (at < call_tokens.end && !tokens_.is(at, "<") && !tokens_.is(at, "(")) ++at;
        if (!tokens_.is(at, "<")) return arguments;
        const size_t close = tokens_.closing_angle(at, call_tokens.end);
        if (close == TokenStream::npos) throw NotSplit("a call with an unbalanced list of template arguments");
        size_t begin = at + 1;
        for (size_t i = begin; i <= close; ++i) {
            if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{")) {
                i = tokens_.closing(i);
            } else if (tokens_.is(i, "<")) {
                const size_t angle = tokens_.closing_angle(i, close);
                if (angle != TokenStream::npos) i = angle;
            } else if (tokens_.is(i, ",") || i == close) {
                arguments.push_back(caller.renamed(tokens_, {begin, i}));
                begin = i + 1;
            }
        }
        return arguments;
    }

    std::string statements(const InlinedFunction& function) {
        const InlineFrame caller{function.body().syntax(), &function};
        std::string text, closing;
        const Statement* last = function.last_return();
        for (const auto& child : function.body().root().children) {
            if (child.get() == last) {
                std::string before;
                const std::string value = expression(last->expression, caller, before);
                append(text, {before, "\n", function.result_place().empty() ? function.return_type() : "",
                              function.result(), " = ", value, ";\n"});
            } else {
                append(text, {statement(*child, caller), "\n"});
            }
            if (!function.returns_early_in(child->range)) continue;
            append(text, {"if (!", function.prefix(), "returned) {\n"});
            closing += "}\n";
        }
        return text + closing;
    }

    // The function's names must mean the same in the kernel.
    void check_names(const InlinedFunction& function) const {
        const FunctionDeclaration& declaration = function.declaration();
        for (const std::string& name : function.free_names()) {
            if (kernel_syntax_.declarations_of(name) || kernel_.template_parameters.count(name))
                throw NotSplit(concat(
                    {declaration.name, " waits for threads and uses ", name, ", a name that the kernel declares"}));
            for (NodeIndex i = 0; i < tree_.size(); ++i)
                if (tree_[i].name == name && tree_[i].name_token != TokenStream::npos && is_of_namespace(i))
                    check_visible(i, declaration);
        }
        if (kernel_syntax_.declarations_of(declaration.name))
            throw NotSplit(
                concat({"the kernel declares ", declaration.name, ", the name of a function that waits for threads"}));
        for (size_t i = declaration.body_close; i < kernel_.body_open; ++i)
            if (tokens_.is(i, "using") && tokens_.is(i + 1, "namespace"))
                throw NotSplit(concat({"a using directive stands between ", declaration.name, " and the kernel"}));
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
                concat({tree_[node].name, " may refer to another declaration in the kernel than in ", function.name}));
    }

    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    const FunctionDeclaration& kernel_;
    const CallGraph& calls_;
    const SyntaxTree& tree_;
    const LineMap& lines_;
    const FunctionSyntax kernel_syntax_;
    std::map<const FunctionDeclaration*, bool> arithmetic_functions_;
    std::set<const FunctionDeclaration*> inlined_static_;
    bool too_many_arithmetic_calls_ = false;
    int inlined_calls_ = 0;  // calls inlined so far
};

}  // namespace

std::string inline_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
                         const LineMap& lines, std::string& reason) {
    try {
        return CallInliner(unit, kernel, calls, lines).body();
    } catch (const NotSplit& refusal) {
        reason = refusal.what();
        return "";
    }
}

}  // namespace cuda_shim
