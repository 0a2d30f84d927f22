#include "hiprtc/split/written_function.h"

#include "hiprtc/split/written_names.h"
#include "hiprtc/words.h"

namespace cuda_shim {

WrittenFunction::WrittenFunction(const TranslationUnit& unit, const LineMap& lines, const FunctionDeclaration& function,
                                 int number, bool only_computes)
    : tokens_(unit.tokens()),
      lines_(lines),
      function_(function),
      prefix_(concat({"cuda_shim_i", std::to_string(number), "_"})),
      result_(prefix_ + "result"),
      parameters_(named_parameters(tokens_, function.parameters_open, function.parameters_close)),
      body_(unit, function, tokens_, function.body_open, parameters_, nullptr),
      only_computes_(only_computes) {}

std::string WrittenFunction::write(const TokenStream& from, const Call& call) {
    if (parameters_.size() != call.arguments.size()) throw NotSplit("a function with unnamed parameters");
    check_lambdas();
    find_early_returns(body_.root(), nullptr);
    std::string text = template_constants(from, call);
    for (size_t i = 0; i < parameters_.size(); ++i)
        text += parameter(i, from.slice(call.arguments[i].begin, call.arguments[i].end));
    text += deduced_types();
    if (!early_returns_.empty()) append(text, {return_type(), result_, ";\nbool ", prefix_, "returned = false;\n"});
    return text + statements();
}

std::set<std::string> WrittenFunction::free_names() const {
    std::set<std::string> names;
    for (size_t i = function_.parameters_open; i < function_.body_close; ++i)
        if (tokens_.is_identifier(i) && stands_alone(tokens_, i) && !body_.variable_at(i) && !is_template_parameter(i))
            names.emplace(tokens_.text(i));
    for (const Parameter& parameter : parameters_) names.erase(parameter.name);
    return names;
}

void WrittenFunction::check_lambdas() const {
    for (size_t i = function_.body_open; i < function_.body_close; ++i)
        if (tokens_.is(i, "[") && (tokens_.is(i + 1, "&") || tokens_.is(i + 1, "=") || tokens_.is(i + 1, "]")))
            throw NotSplit(function_.name + " has a lambda and waits for threads");
}

const Statement* WrittenFunction::last_return() const {
    const auto& statements = body_.root().children;
    if (statements.empty() || statements.back()->kind != Statement::Return) return nullptr;
    return statements.back()->condition.empty() ? nullptr : statements.back().get();
}

// A return at the end is an assignment. Others are jumps: where nobody waits inside, they leave the loop around, if
// any, and pass over the rest.
void WrittenFunction::find_early_returns(const Statement& statement, const Statement* loop) {
    if (statement.kind == Statement::Return) {
        if (&statement == last_return()) return;
        if (!only_computes_) throw NotSplit(function_.name + " returns early and waits for threads");
        early_returns_[statement.range.begin] = {
            statement.range, concat({"{\n", result_, " = ", renamed(statement.condition), ";\n", prefix_,
                                     "returned = true;\n", loop ? "break;\n}" : "}"})};
        return;
    }
    const size_t already = early_returns_.size();
    const bool is_root = &statement == &body_.root();
    for (const auto& child : statement.children) {
        const size_t before = early_returns_.size();
        find_early_returns(*child, is_loop(statement) ? &statement : loop);
        const bool passes_over = statement.kind == Statement::Compound && child != statement.children.back();
        if (early_returns_.size() == before || is_root || loop || !passes_over) continue;
        throw NotSplit(function_.name + " returns from within braces, with more behind");
    }
    if (is_loop(statement) && loop && early_returns_.size() != already)
        throw NotSplit(function_.name + " returns from a loop in a loop");
    if (statement.kind != Statement::Switch && statement.kind != Statement::Other) return;
    for (size_t i = statement.range.begin; i < statement.range.end; ++i)  // understood as text only
        if (tokens_.is(i, "return")) throw NotSplit(function_.name + " returns early and waits for threads");
}

std::string WrittenFunction::statements() {
    std::string text, closing;
    const Statement* last = last_return();
    for (const auto& child : body_.root().children) {
        if (child.get() == last)
            append(text, {"\n", early_returns_.empty() ? return_type() : "", result_, " = ", renamed(last->condition),
                          ";\n"});
        else
            append(text, {lines_.directive(child->range.begin), renamed(child->range), "\n"});
        const auto early = early_returns_.lower_bound(child->range.begin);
        if (early == early_returns_.end() || early->first >= child->range.end) continue;
        append(text, {"if (!", prefix_, "returned) {\n"});
        closing += "}\n";
    }
    has_result_ = last || !early_returns_.empty();
    return text + closing;
}

bool WrittenFunction::is_template_parameter(size_t token) const {
    return function_.template_parameters.count(std::string(tokens_.text(token))) != 0;
}

// The text with local names and template parameters replaced by ones that nobody else has, and early returns by what is
// written for them.
std::string WrittenFunction::renamed(Range range) const {
    std::string text;
    size_t copied = tokens_[range.begin].begin;
    for (size_t i = range.begin; i < range.end; ++i) {
        const std::string_view before = std::string_view(tokens_.source()).substr(copied, tokens_[i].begin - copied);
        if (const auto early = early_returns_.find(i); early != early_returns_.end()) {
            append(text, {before, early->second.second});
            i = early->second.first.end - 1;
        } else {
            const bool local = body_.variable_at(i) != nullptr;
            if (!tokens_.is_identifier(i) || !(local || (is_template_parameter(i) && stands_alone(tokens_, i))))
                continue;
            append(text, {before, prefix_, tokens_.text(i)});
        }
        copied = tokens_[i].end;
    }
    return text + tokens_.source().substr(copied, tokens_[range.end - 1].end - copied);
}

// The template's parameters in order: each name, and what stands before it.
std::vector<std::pair<std::string, Range>> WrittenFunction::template_parameters() const {
    std::vector<std::pair<std::string, Range>> list;
    if (!function_.has_template_parameters) return list;
    const size_t open = function_.first + 1, close = tokens_.closing_angle(open, function_.parameters_open);
    for (const Range& part : split_at_commas(tokens_, {open + 1, close})) {
        size_t name = part.begin;
        for (size_t i = part.begin; i < part.end && !tokens_.is(i, "="); ++i) {
            if (tokens_.is(i, "...")) throw NotSplit("a variadic function that waits for threads");
            if (tokens_.is_identifier(i)) name = i;
        }
        list.emplace_back(std::string(tokens_.text(name)), Range{part.begin, name});
    }
    return list;
}

bool WrittenFunction::is_type(Range template_parameter) const {
    return tokens_.is(template_parameter.begin, "class") || tokens_.is(template_parameter.begin, "typename");
}

// Template arguments that the call gives: aliases and constants.
std::string WrittenFunction::template_constants(const TokenStream& from, const Call& call) {
    std::string text;
    const std::vector<Range> given = split_at_commas(from, call.template_arguments);
    const auto parameters = template_parameters();
    if (given.size() > parameters.size()) throw NotSplit("template arguments that are not understood");
    for (size_t i = 0; i < given.size(); ++i) {
        const std::string argument = from.slice(given[i].begin, given[i].end), name = prefix_ + parameters[i].first;
        const Range before = parameters[i].second;
        text += is_type(before) ? concat({"using ", name, " = ", argument, ";\n"})
                                : concat({"constexpr ", renamed(before), " ", name, " = (", argument, ");\n"});
        known_.insert(parameters[i].first);
    }
    return text;
}

// Those that the compiler deduces: from parameters declared as T x, T* x or const T& x.
std::string WrittenFunction::deduced_types() const {
    std::string text;
    for (const auto& [name, before] : template_parameters()) {
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
        if (source.empty() || !is_type(before))
            throw NotSplit(concat({"a template argument of ", function_.name, " that is not understood"}));
        append(text, {"using ", prefix_, name, " = cuda_shim_decay_t<decltype(", source, ")>;\n"});
    }
    return text;
}

Range WrittenFunction::parameter_type(const Parameter& parameter) const {
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

std::string WrittenFunction::parameter(size_t index, const std::string& argument) const {
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
std::string WrittenFunction::return_type() const {
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

}  // namespace cuda_shim
