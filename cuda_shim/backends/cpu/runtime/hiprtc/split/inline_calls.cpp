#include "hiprtc/split/inline_calls.h"

#include <algorithm>
#include <set>

#include "hiprtc/split/kernel_body.h"
#include "hiprtc/split/written_names.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

constexpr int kMostCalls = 64;  // more, and something calls itself

struct Call {
    size_t first = 0;  // first token, with the qualifiers of the name
    size_t name = 0;
    Range template_arguments;  // without the brackets
    std::vector<Range> arguments;
    size_t close = 0;  // the closing parenthesis
};

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

// The first call of a function in which threads meet whose arguments hold no other.
bool find_call(const TokenStream& tokens, const TranslationUnit& unit, Range range, Call& call) {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (!tokens.is_identifier(i) || !unit.is_synchronising_function(std::string(tokens.text(i)))) continue;
        if (tokens.is(i - 1, ".") || tokens.is(i - 1, "->")) continue;
        size_t open = i + 1;
        Call found;
        if (tokens.is(open, "<")) {
            const size_t angle = tokens.closing_angle(open, range.end);
            if (angle == TokenStream::npos) continue;
            found.template_arguments = {open + 1, angle};
            open = angle + 1;
        }
        if (!tokens.is(open, "(")) continue;
        found.name = found.first = i;
        while (found.first >= 2 && tokens.is(found.first - 1, "::") && tokens.is_identifier(found.first - 2))
            found.first -= 2;
        found.close = tokens.closing(open);
        found.arguments = split_at_commas(tokens, {open + 1, found.close});
        Call inner;
        call = find_call(tokens, unit, {open + 1, found.close}, inner) ? inner : found;
        return true;
    }
    return false;
}

// The innermost statement around a token in which a call can be replaced; null when there is none.
const Statement* statement_around(const Statement& statement, size_t token) {
    for (const auto& child : statement.children)
        if (token >= child->range.begin && token < child->range.end) return statement_around(*child, token);
    switch (statement.kind) {
        case Statement::Expression:
        case Statement::Declare:
            return &statement;
        case Statement::If:
            return token >= statement.condition.begin && token < statement.condition.end ? &statement : nullptr;
        default:
            return nullptr;
    }
}

bool conditional_outside(const TokenStream& tokens, Range range, const Call& call) {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (i == call.first)
            i = call.close;
        else if (tokens.is(i, "?") || tokens.is(i, "&&") || tokens.is(i, "||"))
            return true;
    }
    return false;
}

// The one function that the call can mean.
const FunctionDeclaration* callee(const TokenStream& tokens, const TranslationUnit& unit, const Call& call) {
    const FunctionDeclaration* found = nullptr;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (function.name != tokens.text(call.name) || !function.defined() || function.kernel || function.method)
            continue;
        const Range parameters{function.parameters_open + 1, function.parameters_close};
        const bool none = unit.tokens().is(parameters.begin, "void") && parameters.end == parameters.begin + 1;
        const size_t count = none ? 0 : split_at_commas(unit.tokens(), parameters).size();
        if (count != call.arguments.size()) continue;
        if (found) return nullptr;
        found = &function;
    }
    return found;
}

// One function, ready to be written out with names of its own.
class Writer {
public:
    Writer(const TranslationUnit& unit, const LineMap& lines, const FunctionDeclaration& function, int number)
        : tokens_(unit.tokens()),
          lines_(lines),
          function_(function),
          prefix_(concat({"cuda_shim_i", std::to_string(number), "_"})),
          parameters_(named_parameters(tokens_, function.parameters_open, function.parameters_close)),
          body_(unit, function, tokens_, function.body_open, parameters_, nullptr) {}

    // Text that leaves the result, if any, in the variable result().
    std::string write(const TokenStream& from, const Call& call) {
        if (parameters_.size() != call.arguments.size()) throw NotSplit("a function with unnamed parameters");
        const Statement* last = body_.root().children.empty() ? nullptr : body_.root().children.back().get();
        const bool returns = last && last->kind == Statement::Return && !last->condition.empty();
        check_returns(returns ? last : nullptr);
        std::string text = template_constants(from, call);
        for (size_t i = 0; i < parameters_.size(); ++i)
            text += parameter(i, from.slice(call.arguments[i].begin, call.arguments[i].end));
        text += deduced_types();
        for (const auto& child : body_.root().children)
            if (child.get() != last || !returns)
                append(text, {lines_.directive(child->range.begin), renamed(child->range), "\n"});
        if (returns) append(text, {"\n", return_type(), result(), " = ", renamed(last->condition), ";\n"});
        has_result_ = returns;
        return text;
    }
    std::string result() const { return prefix_ + "result"; }
    bool has_result() const { return has_result_; }

private:
    // One return at the end is an assignment; others would be jumps.
    void check_returns(const Statement* allowed) const {
        for (const Jump& jump : leaving_jumps(tokens_, body_.root()))
            if (!allowed || jump.token != allowed->range.begin)
                throw NotSplit(function_.name + " returns early and waits for threads");
        for (size_t i = function_.body_open; i < function_.body_close; ++i)
            if (tokens_.is(i, "[") && (tokens_.is(i + 1, "&") || tokens_.is(i + 1, "=") || tokens_.is(i + 1, "]")))
                throw NotSplit(function_.name + " has a lambda and waits for threads");
    }

    bool is_template_parameter(size_t token) const {
        return function_.template_parameters.count(std::string(tokens_.text(token))) != 0;
    }

    // The text with local names and template parameters replaced by ones that nobody else has.
    std::string renamed(Range range) const {
        std::string text;
        size_t copied = tokens_[range.begin].begin;
        for (size_t i = range.begin; i < range.end; ++i) {
            const bool local = body_.variable_at(i) != nullptr;
            if (!tokens_.is_identifier(i) || !(local || (is_template_parameter(i) && stands_alone(tokens_, i))))
                continue;
            append(text, {tokens_.source().substr(copied, tokens_[i].begin - copied), prefix_, tokens_.text(i)});
            copied = tokens_[i].end;
        }
        return text + tokens_.source().substr(copied, tokens_[range.end - 1].end - copied);
    }

    // Names of the template's parameters in order, with whether each is a type.
    std::vector<std::pair<std::string, bool>> template_parameters() const {
        std::vector<std::pair<std::string, bool>> list;
        if (!function_.has_template_parameters) return list;
        const size_t open = function_.first + 1, close = tokens_.closing_angle(open, function_.parameters_open);
        for (const Range& part : split_at_commas(tokens_, {open + 1, close})) {
            size_t name = part.begin;
            for (size_t i = part.begin; i < part.end && !tokens_.is(i, "="); ++i) {
                if (tokens_.is(i, "...")) throw NotSplit("a variadic function that waits for threads");
                if (tokens_.is_identifier(i)) name = i;
            }
            list.emplace_back(std::string(tokens_.text(name)),
                              tokens_.is(part.begin, "class") || tokens_.is(part.begin, "typename"));
        }
        return list;
    }

    // Template arguments that the call gives: aliases and constants.
    std::string template_constants(const TokenStream& from, const Call& call) {
        std::string text;
        const std::vector<Range> given = split_at_commas(from, call.template_arguments);
        const auto parameters = template_parameters();
        if (given.size() > parameters.size()) throw NotSplit("template arguments that are not understood");
        for (size_t i = 0; i < given.size(); ++i) {
            const std::string argument = from.slice(given[i].begin, given[i].end), name = prefix_ + parameters[i].first;
            text += parameters[i].second ? concat({"using ", name, " = ", argument, ";\n"})
                                         : concat({"constexpr auto ", name, " = (", argument, ");\n"});
            known_.insert(parameters[i].first);
        }
        return text;
    }

    // Those that the compiler deduces: from parameters declared as T x, T* x or const T& x.
    std::string deduced_types() {
        std::string text;
        for (const auto& [name, is_type] : template_parameters()) {
            if (known_.count(name)) continue;
            std::string source;
            for (const Parameter& parameter : parameters_) {
                Range type = parameter_type(parameter);
                bool pointer = false, plain = true;
                size_t named = TokenStream::npos;
                for (size_t i = type.begin; i < type.end; ++i) {
                    if (tokens_.is(i, name))
                        named = i;
                    else if (tokens_.is(i, "*"))
                        plain = plain && !pointer, pointer = true;
                    else if (!tokens_.is(i, "const") && !tokens_.is(i, "&") && !tokens_.is(i, "__restrict__") &&
                             !tokens_.is(i, "volatile"))
                        plain = false;
                }
                if (named == TokenStream::npos || !plain) continue;
                source = pointer ? concat({"*", prefix_, parameter.name}) : prefix_ + parameter.name;
                break;
            }
            if (source.empty() || !is_type)
                throw NotSplit(concat({"a template argument of ", function_.name, " that is not understood"}));
            append(text, {"using ", prefix_, name, " = cuda_shim_decay_t<decltype(", source, ")>;\n"});
        }
        return text;
    }

    Range parameter_type(const Parameter& parameter) const {
        size_t begin = parameter.token;
        while (begin > function_.parameters_open + 1 && !tokens_.is(begin - 1, ",")) {
            --begin;
            if (tokens_.is(begin, ">")) {
                int depth = 1;
                while (depth > 0 && begin > function_.parameters_open) {
                    --begin;
                    depth += tokens_.is(begin, ">") ? 1 : tokens_.is(begin, "<") ? -1 : 0;
                }
            }
        }
        return {begin, parameter.token};
    }

    std::string parameter(size_t index, const std::string& argument) const {
        const Parameter& parameter = parameters_[index];
        const Range type = parameter_type(parameter);
        bool reference = false, constant = false, depends = false;
        for (size_t i = type.begin; i < type.end; ++i) {
            reference = reference || tokens_.is(i, "&");
            constant = constant || tokens_.is(i, "const");
            depends = depends || is_template_parameter(i);
            if (tokens_.is(i, "&&") || tokens_.is(i, "("))
                throw NotSplit(concat({"a parameter of ", function_.name, " that is not understood"}));
        }
        const bool array = tokens_.is(parameter.token + 1, "[");
        const std::string name = prefix_ + parameter.name;
        if (reference && !constant) return concat({"auto& ", name, " = ", argument, ";\n"});
        // A reference to a constant is as good as a copy, and lives as long as it is needed.
        if (depends || array || reference) return concat({"auto ", name, " = ", argument, ";\n"});
        return concat({tokens_.slice(type.begin, type.end), " ", name, " = ", argument, ";\n"});
    }

    // The words before the function's name that make its type.
    std::string return_type() const {
        const size_t begin = function_.has_template_parameters
                                 ? tokens_.closing_angle(function_.first + 1, function_.parameters_open) + 1
                                 : function_.first;
        std::string type;
        for (size_t i = begin; i + 1 < function_.parameters_open; ++i) {
            if (is_template_parameter(i) || tokens_.is(i, "auto") || tokens_.is(i, "decltype")) return "auto ";
            if (tokens_.is(i, "__attribute__")) {
                i = tokens_.closing(i + 1);
                continue;
            }
            static const std::set<std::string_view> no_types = {
                "__device__", "__host__",        "inline",       "__inline__", "static",
                "constexpr",  "__forceinline__", "__noinline__", "extern",     "__inline"};
            if (no_types.count(tokens_.text(i)) || tokens_[i].kind == Token::String) continue;
            append(type, {tokens_.text(i), " "});
        }
        return type;
    }

    const TokenStream& tokens_;
    const LineMap& lines_;
    const FunctionDeclaration& function_;
    const std::string prefix_;
    const std::vector<Parameter> parameters_;
    const KernelBody body_;
    std::set<std::string> known_;
    bool has_result_ = false;
};

}  // namespace

std::string write_out_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines) {
    std::string text = unit.tokens().slice(kernel.body_open, kernel.body_close + 1);
    bool any = false;
    for (int number = 0; number < kMostCalls; ++number) {
        const TokenStream tokens(text);
        Call call;
        if (!find_call(tokens, unit, {0, tokens.size()}, call)) return any ? text : "";
        const std::unique_ptr<Statement> root = StatementParser(tokens, unit).parse(0);
        const Statement* statement = statement_around(*root, call.name);
        const FunctionDeclaration* function = callee(tokens, unit, call);
        const Range evaluated = !statement                         ? Range{}
                                : statement->kind == Statement::If ? statement->condition
                                                                   : statement->range;
        if (!statement || !function || conditional_outside(tokens, evaluated, call)) return any ? text : "";
        Writer writer(unit, lines, *function, number);
        const std::string before = writer.write(tokens, call);
        const std::string here = any ? "\n" : lines.directive(kernel.body_open);
        TextEdits edits;
        const size_t begin = tokens[statement->range.begin].begin, end = tokens[statement->range.end - 1].end;
        // A declaration must stay in its scope; other statements get one of their own, with what they need.
        const bool scoped = statement->kind != Statement::Declare;
        edits.insert(begin, concat({scoped ? "{\n" : "\n", before, here}));
        edits.replace(tokens[call.first].begin, tokens[call.close].end,
                      writer.has_result() ? writer.result() : "(void)0");
        if (scoped) edits.insert(end, "\n}");
        text = edits.apply(text);
        any = true;
    }
    return text;
}

}  // namespace cuda_shim
