#include "kernel_compiler/split/inlined_function.h"

#include <algorithm>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Splits a range at its commas, but for those in brackets, of template arguments too.
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

bool stands_alone(const TokenStream& tokens, size_t at) {
    return !tokens.is(at - 1, ".") && !tokens.is(at - 1, "->") && !tokens.is(at - 1, "::");
}

}  // namespace

InlinedFunction::InlinedFunction(const TranslationUnit& unit, const FunctionDeclaration& function,
                                 const CallGraph& calls, int number, bool is_arithmetic)
    : tokens_(unit.tokens()),
      function_(function),
      prefix_(concat({"cuda_shim_i", std::to_string(number), "_"})),
      result_(prefix_ + "result"),
      body_(unit, function, calls, nullptr),
      is_arithmetic_(is_arithmetic) {
    check_declarations();
    find_parameters();
    find_early_returns(body_.root(), nullptr);
}

// Local types and functions, lambdas among them, would be visible in the kernel too.
void InlinedFunction::check_declarations() const {
    const SyntaxTree& tree = body_.tree();
    const NodeIndex body = body_.syntax().structure_body();
    for (NodeIndex i = body; i < tree[body].end; ++i) {
        const NodeKind kind = tree[i].kind;
        if (kind == NodeKind::Lambda || kind == NodeKind::Record || kind == NodeKind::TypeName ||
            kind == NodeKind::Enumeration || kind == NodeKind::Function)
            throw NotSplit(function_.name + " waits for threads and declares a lambda, a type or a function");
    }
    for (size_t i = function_.parameters_close; i < function_.body_open; ++i)
        if (tokens_.is(i, "->")) throw NotSplit(function_.name + " waits for threads and has a trailing return type");
}

void InlinedFunction::find_parameters() {
    const SyntaxTree& tree = body_.tree();
    for (NodeIndex node : body_.syntax().parameters()) {
        FunctionParameter parameter;
        parameter.name = tree[node].name;
        parameter.token = tree[node].name_token;
        if (parameter.name.empty()) throw NotSplit(function_.name + " waits for threads and has an unnamed parameter");
        parameter.type = {tree[node].tokens.begin, parameter.token};
        parameter.array = tokens_.is(parameter.token + 1, "[");
        bool is_supported = !parameter.type.empty();
        for (size_t i = parameter.type.begin; i < parameter.type.end; ++i) {
            parameter.reference = parameter.reference || tokens_.is(i, "&");
            parameter.pointer = parameter.pointer || tokens_.is(i, "*");
            parameter.constant = parameter.constant || (tokens_.is(i, "const") && !parameter.pointer);
            is_supported = is_supported && !tokens_.is(i, "&&") && !tokens_.is(i, "(") && !tokens_.is(i, "...");
        }
        if (!is_supported || (parameter.array && tokens_.is(tokens_.closing(parameter.token + 1) + 1, "[")))
            throw NotSplit(
                concat({"the parameter ", parameter.name, " of ", function_.name, " has an unsupported type"}));
        parameters_.push_back(std::move(parameter));
    }
}

bool InlinedFunction::has_static_variables() const {
    const SyntaxTree& tree = body_.tree();
    const NodeIndex body = body_.syntax().structure_body();
    for (NodeIndex i = body; i < tree[body].end; ++i)
        if (tree[i].kind == NodeKind::Variable && tree[i].is_static) return true;
    return false;
}

std::set<std::string> InlinedFunction::free_names() const {
    std::set<std::string> names;
    for (size_t i = function_.first; i < function_.body_close; ++i)
        if (tokens_.is_identifier(i) && stands_alone(tokens_, i) && !body_.variable_at(i) && !is_template_parameter(i))
            names.emplace(tokens_.text(i));
    names.erase(function_.name);
    return names;
}

const Statement* InlinedFunction::last_return() const {
    const auto& statements = body_.root().children;
    if (statements.empty() || statements.back()->kind != Statement::Return) return nullptr;
    return statements.back()->expression.empty() ? nullptr : statements.back().get();
}

// A return at the end is an assignment. Others are jumps: where no thread waits inside, they leave the loop around, if
// any, and pass over the rest.
void InlinedFunction::find_early_returns(const Statement& statement, const Statement* loop) {
    if (statement.kind == Statement::Return) {
        if (&statement == last_return()) return;
        if (!is_arithmetic_) throw NotSplit(function_.name + " returns early and waits for threads");
        early_returns_[statement.range.begin] = {
            statement.range, concat({"{\n", result_, " = ", renamed(statement.expression), ";\n", prefix_,
                                     "returned = true;\n", loop ? "break;\n}" : "}"})};
        return;
    }
    const size_t count = early_returns_.size();
    const bool is_root = &statement == &body_.root();
    for (const auto& child : statement.children) {
        const size_t count_before = early_returns_.size();
        find_early_returns(*child, is_loop(statement) ? &statement : loop);
        const bool passes_over = statement.kind == Statement::Compound && child != statement.children.back();
        if (early_returns_.size() == count_before || is_root || loop || !passes_over) continue;
        throw NotSplit(function_.name + " returns from a block with statements behind it");
    }
    if (is_loop(statement) && loop && early_returns_.size() != count)
        throw NotSplit(function_.name + " returns from a loop in a loop");
    const bool copied_as_text = statement.kind == Statement::Switch || statement.kind == Statement::Other ||
                                statement.kind == Statement::RangeFor;
    if (!copied_as_text) return;
    for (const Jump& jump : leaving_jumps(body_.tree(), statement))
        if (jump.kind == Statement::Return) throw NotSplit(function_.name + " returns early and waits for threads");
}

bool InlinedFunction::returns_early_in(Range range) const {
    const auto early = early_returns_.lower_bound(range.begin);
    return early != early_returns_.end() && early->first < range.end;
}

std::string InlinedFunction::result_place() const {
    if (early_returns_.empty()) return "";
    return concat({return_type(), result_, ";\nbool ", prefix_, "returned = false;\n"});
}

bool InlinedFunction::is_template_parameter(size_t token) const {
    return function_.template_parameters.count(std::string(tokens_.text(token))) != 0;
}

// The text with local names and template parameters replaced by unique ones, and early returns by their replacement.
std::string InlinedFunction::renamed(Range range) const {
    std::string text;
    if (range.empty()) return text;
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

// The template's parameters in order: each name, and the words before it.
std::vector<std::pair<std::string, Range>> InlinedFunction::template_parameters() const {
    std::vector<std::pair<std::string, Range>> list;
    if (!function_.has_template_parameters) return list;
    const size_t open = function_.first + 1, close = tokens_.closing_angle(open, function_.parameters_open, true);
    for (const Range& part : split_at_commas(tokens_, {open + 1, close})) {
        size_t name = part.begin;
        for (size_t i = part.begin; i < part.end && !tokens_.is(i, "="); ++i) {
            if (tokens_.is(i, "...")) throw NotSplit(function_.name + " waits for threads and has a parameter pack");
            if (tokens_.is_identifier(i)) name = i;
        }
        list.emplace_back(std::string(tokens_.text(name)), Range{part.begin, name});
    }
    return list;
}

bool InlinedFunction::is_type(Range template_parameter) const {
    return tokens_.is(template_parameter.begin, "class") || tokens_.is(template_parameter.begin, "typename");
}

// Template arguments that the call gives: aliases and constants.
std::string InlinedFunction::template_constants(const std::vector<std::string>& arguments) {
    std::string text;
    const auto parameters = template_parameters();
    if (arguments.size() > parameters.size())
        throw NotSplit("more template arguments in a call than parameters of " + function_.name);
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string name = prefix_ + parameters[i].first;
        const Range before = parameters[i].second;
        text += is_type(before) ? concat({"using ", name, " = ", arguments[i], ";\n"})
                                : concat({"constexpr ", renamed(before), " ", name, " = (", arguments[i], ");\n"});
        bound_parameters_.insert(parameters[i].first);
    }
    return text;
}

std::string InlinedFunction::deduced_parameter(const FunctionParameter& parameter) const {
    std::string name;
    int pointers = 0;
    for (size_t i = parameter.type.begin; i < parameter.type.end; ++i) {
        if (is_template_parameter(i) && name.empty())
            name = tokens_.text(i);
        else if (tokens_.is(i, "*"))
            ++pointers;
        else if (!tokens_.is(i, "const") && !tokens_.is(i, "&") && !tokens_.is(i, "__restrict__"))
            return "";
    }
    return pointers + (parameter.array ? 1 : 0) <= 1 && !bound_parameters_.count(name) ? name : "";
}

std::string InlinedFunction::declare(const FunctionParameter& parameter, const Argument& argument, bool deduced) const {
    const std::string name = prefix_ + parameter.name;
    std::string type;
    for (size_t i = parameter.type.begin; i < parameter.type.end; ++i) {
        // A value computed for the call has no address; a copy is as good as a reference to it.
        if (tokens_.is(i, "&") && !argument.object && parameter.constant) continue;
        append(type, {deduced && is_template_parameter(i) ? "auto" : renamed({i, i + 1}), " "});
    }
    if (parameter.reference && !parameter.constant && !argument.object)
        throw NotSplit(concat({"the parameter ", parameter.name, " of ", function_.name, " refers to a temporary"}));
    return concat({type, parameter.array ? "* " : "", name, " = ", argument.text, ";\n"});
}

std::string InlinedFunction::parameters(const std::vector<Argument>& arguments,
                                        const std::vector<std::string>& template_arguments) {
    if (parameters_.size() != arguments.size())
        throw NotSplit("a call whose number of arguments is not that of the parameters of " + function_.name);
    std::string text = template_constants(template_arguments);
    std::set<size_t> declared_parameters;
    for (const auto& [name, before] : template_parameters()) {
        if (bound_parameters_.count(name)) continue;
        size_t index = parameters_.size();
        for (size_t i = 0; i < parameters_.size() && index == parameters_.size(); ++i)
            if (deduced_parameter(parameters_[i]) == name) index = i;
        if (index == parameters_.size() || !is_type(before))
            throw NotSplit(concat({"the template argument ", name, " of ", function_.name, " cannot be deduced"}));
        const FunctionParameter& parameter = parameters_[index];
        text += declare(parameter, arguments[index], true);
        declared_parameters.insert(index);
        const char* element = parameter.pointer || parameter.array ? "*" : "";
        append(text,
               {"using ", prefix_, name, " = cuda_shim_decay_t<decltype(", element, prefix_, parameter.name, ")>;\n"});
        bound_parameters_.insert(name);
    }
    for (size_t i = 0; i < parameters_.size(); ++i)
        if (!declared_parameters.count(i)) text += declare(parameters_[i], arguments[i], false);
    return text;
}

// The words before the function's name that make its type.
std::string InlinedFunction::return_type() const {
    const size_t begin = function_.has_template_parameters
                             ? tokens_.closing_angle(function_.first + 1, function_.parameters_open, true) + 1
                             : function_.first;
    size_t name = function_.parameters_open;
    while (name > begin && !tokens_.is(name, function_.name)) --name;
    std::string type;
    for (size_t i = begin; i < name; ++i) {
        if (tokens_.is(i, "decltype"))
            throw NotSplit(function_.name + " waits for threads and has a return type with decltype");
        if (tokens_.is(i, "__attribute__") || tokens_.is(i, "__launch_bounds__")) {
            i = tokens_.closing(i + 1);
            continue;
        }
        static const std::set<std::string_view> no_types = {
            "__device__", "__host__",        "inline",       "__inline__", "static",
            "constexpr",  "__forceinline__", "__noinline__", "extern",     "__inline"};
        if (tokens_[i].kind == Token::Directive || tokens_[i].kind == Token::String) continue;
        if (tokens_.is(i, "[")) {  // an attribute
            i = tokens_.closing(i);
            continue;
        }
        if (!no_types.count(tokens_.text(i))) append(type, {renamed({i, i + 1}), " "});
    }
    return type;
}

}  // namespace cuda_shim
