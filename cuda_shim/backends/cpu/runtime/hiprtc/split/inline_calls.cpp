#include "hiprtc/split/inline_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "hiprtc/split/kernel_body.h"
#include "hiprtc/split/lane_loops.h"
#include "hiprtc/split/written_function.h"
#include "hiprtc/split/written_names.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

constexpr int kMostCalls = 64;  // more, and something calls itself
// Of functions that only compute: each is compiled anew, in a form that takes compilers 0.2 seconds.
constexpr size_t kMostThatCompute = 4;

using Names = std::set<std::string, std::less<>>;

// The functions that are written out, each with whether it only computes.
std::map<const FunctionDeclaration*, bool> functions_to_write_out(const TranslationUnit& unit) {
    std::map<const FunctionDeclaration*, bool> functions;
    for (const FunctionDeclaration& function : unit.functions()) {
        const bool computes = computes_alone(function, unit);
        if (computes || (!function.kernel && unit.is_synchronising_function(function.name)))
            functions[&function] = computes;
    }
    return functions;
}

// Calls of these functions, each behind those among its arguments.
void find_calls(const TokenStream& tokens, const Names& names, Range range, std::vector<Call>& calls) {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (!tokens.is_identifier(i) || names.find(tokens.text(i)) == names.end()) continue;
        if (tokens.is(i - 1, ".") || tokens.is(i - 1, "->")) continue;
        size_t open = i + 1;
        Call call;
        if (tokens.is(open, "<")) {
            const size_t angle = tokens.closing_angle(open, range.end);
            if (angle == TokenStream::npos) continue;
            call.template_arguments = {open + 1, angle};
            open = angle + 1;
        }
        if (!tokens.is(open, "(")) continue;
        call.name = call.first = i;
        while (call.first >= 2 && tokens.is(call.first - 1, "::") && tokens.is_identifier(call.first - 2))
            call.first -= 2;
        call.close = tokens.closing(open);
        call.arguments = split_at_commas(tokens, {open + 1, call.close});
        find_calls(tokens, names, {open + 1, call.close}, calls);
        calls.push_back(call);
        i = call.close;
    }
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

// Where a call stands: what is evaluated with it, and what before it.
struct Site {
    const Statement* statement = nullptr;
    Range part;      // of what commas separate in the statement: the one with the call
    Range assigned;  // what is assigned to an operand that holds the call, and so is evaluated before; or empty
};

bool is_unevaluated(std::string_view word) {
    static constexpr std::array<std::string_view, 4> words = {"sizeof", "decltype", "alignof", "noexcept"};
    return one_of(word, words);
}

size_t find_assignment(const TokenStream& tokens, Range range) {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (is_assignment(tokens, i)) return i;
        if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{")) i = tokens.closing(i);
    }
    return range.end;
}

// May what is in the bracket be evaluated behind the call in it, and the call be made once and always?
bool is_first_in_bracket(const TokenStream& tokens, size_t open, const Call& call) {
    const size_t close = tokens.closing(open);
    if (find_assignment(tokens, {call.close + 1, close}) != close) return false;
    if (tokens.is(open, "[")) return true;
    const bool called = tokens.is(open, "(") && tokens.is_identifier(open - 1);
    if (called) return !is_unevaluated(tokens.text(open - 1));
    for (size_t i = open; tokens.is(open, "{") && i < close; ++i)
        if (tokens.is(i, ";")) return false;  // a lambda
    return call.close < split_at_commas(tokens, {open + 1, close}).front().end;
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

// False where the call cannot be moved in front of what is evaluated with it.
bool find_site(const TokenStream& tokens, const Statement& root, const Call& call, Site& site) {
    site.statement = statement_around(root, call.name);
    if (!site.statement || site.statement->constexpr_if) return false;
    const Statement& statement = *site.statement;
    Range whole = statement.kind == Statement::If ? statement.condition : statement.range;
    if (statement.kind != Statement::If) --whole.end;  // the semicolon
    if (statement.declaration) {
        if (statement.declaration->kind != Declaration::Variables) return false;
        whole.begin = statement.declaration->specifiers.end;
    }
    for (const Range& part : split_at_commas(tokens, whole))
        if (call.first >= part.begin && call.close < part.end) site.part = part;
    if (site.part.empty() || (statement.kind == Statement::If && site.part.begin != whole.begin)) return false;
    if (conditional_outside(tokens, site.part, call)) return false;
    for (size_t i = site.part.begin; i < call.first; ++i) {
        const size_t close = tokens.closing(i);
        if (close == TokenStream::npos || close < i) continue;
        if (close < call.first)
            i = close;
        else if (!is_first_in_bracket(tokens, i, call))
            return false;
    }
    const size_t assignment = find_assignment(tokens, {call.close + 1, site.part.end});
    if (assignment == site.part.end) return true;
    site.assigned = {assignment + (tokens.is(assignment, ">") ? 2 : 1), site.part.end};
    return statement.kind == Statement::Expression && !tokens.is(site.assigned.begin, "{") &&
           find_assignment(tokens, site.assigned) == site.part.end;
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

// Names that are declared in the statement, wherever.
void find_declared(const TokenStream& tokens, const Statement& statement, std::set<std::string>& names) {
    if (statement.declaration)
        for (const Declarator& declarator : statement.declaration->declarators)
            names.emplace(tokens.text(declarator.name));
    for (size_t i = statement.range.begin; statement.kind == Statement::RangeFor && !tokens.is(i, ":"); ++i)
        if (tokens.is(i + 1, ":")) names.emplace(tokens.text(i));
    for (const auto& child : statement.children) find_declared(tokens, *child, names);
}

// A kernel's body, in which one call after the other is written out.
class CallingKernel {
public:
    CallingKernel(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines)
        : unit_(unit), kernel_(kernel), lines_(lines), functions_(functions_to_write_out(unit)) {
        for (const auto& [function, computes] : functions_) names_.insert(function->name);
        text_ = unit.tokens().slice(kernel.body_open, kernel.body_close + 1);
    }

    // False when no call is left that can be.
    bool write_out_next() {
        const TokenStream tokens(text_);
        std::vector<Call> calls;
        find_calls(tokens, names_, {0, tokens.size()}, calls);
        if (calls.empty()) return false;
        const std::unique_ptr<Statement> root = StatementParser(tokens, unit_).parse(0);
        const auto waits = [&](const Call& call) {
            return unit_.is_synchronising_function(std::string(tokens.text(call.name)));
        };
        const auto waiting = static_cast<size_t>(std::count_if(calls.begin(), calls.end(), waits));
        const bool too_many = computing_ + calls.size() - waiting > kMostThatCompute;
        for (const Call& call : calls) {
            Site site;
            const FunctionDeclaration* function = callee(tokens, unit_, call);
            if (!function || !functions_.count(function) || !find_site(tokens, *root, call, site)) continue;
            if (too_many && !waits(call)) continue;
            try {
                write_out(tokens, *root, call, site, *function);
                computing_ += !waits(call);
                return true;
            } catch (const NotSplit&) {
                if (waits(call)) throw;
            }
        }
        return false;
    }

    const std::string& text() const { return text_; }
    int written_out() const { return number_; }

private:
    void check_names(const TokenStream& tokens, const Statement& root, const WrittenFunction& function,
                     const std::string& name) const {
        std::set<std::string> declared(kernel_.template_parameters);
        for (const Parameter& parameter :
             named_parameters(unit_.tokens(), kernel_.parameters_open, kernel_.parameters_close))
            declared.insert(parameter.name);
        find_declared(tokens, root, declared);
        if (declared.count(name)) throw NotSplit(concat({"the kernel has a ", name, " of its own"}));
        for (const std::string& free : function.free_names())
            if (declared.count(free))
                throw NotSplit(
                    concat({name, " waits for threads and uses ", free, ", of which the kernel has its own"}));
    }

    static std::string specifiers(const TokenStream& tokens, const Statement& statement) {
        if (!statement.declaration) return "";
        const Range range = statement.declaration->specifiers;
        return tokens.slice(range.begin, range.end);
    }

    void write_out(const TokenStream& tokens, const Statement& root, const Call& call, const Site& site,
                   const FunctionDeclaration& function) {
        WrittenFunction written(unit_, lines_, function, number_, functions_.at(&function));
        check_names(tokens, root, written, function.name);
        std::string before;
        TextEdits edits;
        if (!site.assigned.empty()) {
            const std::string value = concat({"cuda_shim_i", std::to_string(number_), "_assigned"});
            append(before,
                   {"const auto ", value, " = (", tokens.slice(site.assigned.begin, site.assigned.end), ");\n"});
            edits.replace(tokens[site.assigned.begin].begin, tokens[site.assigned.end - 1].end, value);
        }
        before += written.write(tokens, call);
        before += number_ ? "\n" : lines_.directive(kernel_.body_open);
        const Statement& statement = *site.statement;
        // A declaration must stay in its scope; other statements get one of their own, with what they need.
        const bool scoped = statement.kind != Statement::Declare;
        const size_t begin = tokens[statement.range.begin].begin, end = tokens[statement.range.end - 1].end;
        edits.insert(begin, scoped ? "{\n" : "\n");
        const Range part = site.part;
        const bool parted = tokens.is(part.begin - 1, ",");
        if (parted) {
            const Token& comma = tokens[part.begin - 1];
            edits.replace(comma.begin, comma.end, concat({";\n", before, specifiers(tokens, statement), " "}));
        } else {
            edits.insert(begin, before);
        }
        edits.replace(tokens[call.first].begin, tokens[call.close].end,
                      written.has_result() ? written.result() : "(void)0");
        if (scoped) edits.insert(end, "\n}");
        text_ = edits.apply(text_);
        ++number_;
    }

    const TranslationUnit& unit_;
    const FunctionDeclaration& kernel_;
    const LineMap& lines_;
    const std::map<const FunctionDeclaration*, bool> functions_;
    Names names_;  // of those
    std::string text_;
    int number_ = 0;
    size_t computing_ = 0;  // of the calls written out: those of functions that only compute
};

}  // namespace

std::string write_out_calls(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines) {
    CallingKernel calling(unit, kernel, lines);
    while (calling.written_out() < kMostCalls && calling.write_out_next()) {
    }
    return calling.written_out() ? calling.text() : "";
}

}  // namespace cuda_shim
