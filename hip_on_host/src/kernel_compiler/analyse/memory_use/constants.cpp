#include "kernel_compiler/analyse/memory_use/constants.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/syntax/variable_use.h"

namespace cuda_shim {
namespace {

constexpr uint64_t kMaxRounds = 1024;
// Operations in all rounds of a loop up to which NVRTC unrolls it whole. Measured for nine loops with NVRTC 13: the
// limit is between 1,000 and 2,000 of them.
constexpr uint64_t kMaxUnrolledOperations = 1600;
constexpr unsigned kMaxCostDepth = 4;  // calls deeper inside count as one operation

std::optional<int64_t> calculate(std::string_view sign, int64_t a, int64_t b) {
    const auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
    const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (sign == "+") return wrap(x + y);
    if (sign == "-") return wrap(x - y);
    if (sign == "*") return wrap(x * y);
    if (sign == "/" || sign == "%") {
        if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
        return sign == "/" ? a / b : a % b;
    }
    if (sign == "<<" || sign == ">>") {
        if (b < 0 || b > 63) return std::nullopt;
        return sign == "<<" ? wrap(x << y) : a >> b;
    }
    if (sign == "&") return a & b;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "&&") return a && b;
    if (sign == "||") return a || b;
    return std::nullopt;
}

KnownValue known(int64_t number) { return {true, number}; }

std::optional<int64_t> to_number(std::string_view digits) {
    if (digits == "true" || digits == "false") return digits == "true";
    const std::string text(digits);
    char* end = nullptr;
    const long long value = strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0') return std::nullopt;
    return value;
}

bool has_fixed_value(const SyntaxNode& variable) {
    return variable.constant || starts_with(variable.real_type(), "const ");
}

}  // namespace

const KnownValue* ParameterValues::find(uint64_t parameter) const {
    for (const ParameterValues* at = this; at; at = at->caller)
        if (const auto entry = at->values.find(parameter); entry != at->values.end()) return &entry->second;
    return nullptr;
}

ConstantEvaluator::ConstantEvaluator(const CallGraph& calls) : calls_(calls), tree_(calls.tree()) {
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
        const SyntaxNode& node = tree_[i];
        const bool is_variable = node.kind == NodeKind::Reference &&
                                 (node.target_kind == NodeKind::Variable || node.target_kind == NodeKind::Parameter);
        if (!is_variable) continue;
        const Use use = use_of(calls_, i);
        if (use == Use::Write) writes_[node.target].push_back(i);
        if (use == Use::Escape) escaped_.insert(node.target);
    }
}

KnownValue ConstantEvaluator::evaluate(NodeIndex expression, const ParameterValues& parameters) {
    if (expression == kNoNode) return {};
    const SyntaxNode& node = tree_[expression];
    switch (node.kind) {
        case NodeKind::Literal:
            return {true, to_number(node.name)};
        case NodeKind::Sizeof:
        case NodeKind::TypeTrait:
        case NodeKind::ValueInitialise:
            return {true, std::nullopt};
        case NodeKind::Paren:
        case NodeKind::ImplicitCast:
        case NodeKind::ValueCast:
        case NodeKind::Constant:
        case NodeKind::WithCleanups:
            return evaluate(tree_.child(expression, 0), parameters);
        case NodeKind::SubstitutedParameter: {
            const std::vector<NodeIndex> children = tree_.children(expression);
            return children.empty() ? KnownValue{} : evaluate(children.back(), parameters);
        }
        case NodeKind::Unary:
            return unary(expression, parameters);
        case NodeKind::Binary:
            return binary(expression, parameters);
        case NodeKind::Conditional: {
            const KnownValue condition = evaluate(tree_.child(expression, 0), parameters);
            if (condition.number) return evaluate(tree_.child(expression, *condition.number ? 1 : 2), parameters);
            return condition.constant ? all_of(expression, parameters, 1) : KnownValue{};
        }
        case NodeKind::Subscript: {  // an element of a table
            const NodeIndex table = tree_.without_conversions(tree_.child(expression, 0));
            const bool is_table = table != kNoNode && starts_with(tree_[table].real_type(), "const ") &&
                                  tree_[table].kind == NodeKind::Reference &&
                                  tree_[table].target_kind == NodeKind::Variable;
            return {is_table && evaluate(tree_.child(expression, 1), parameters).constant, std::nullopt};
        }
        case NodeKind::Reference:
            return reference(expression, parameters);
        case NodeKind::Call: {  // CUDA's functions, such as min, have no memory of their own
            const bool of_prelude = calls_.callee(expression).of_prelude && tree_.children(expression).size() > 1;
            return of_prelude ? all_of(expression, parameters, 1) : KnownValue{};
        }
        case NodeKind::InitList:
            return all_of(expression, parameters, 0);
        default:
            return {};
    }
}

KnownValue ConstantEvaluator::all_of(NodeIndex expression, const ParameterValues& parameters, size_t first_child) {
    const std::vector<NodeIndex> children = tree_.children(expression);
    for (size_t i = first_child; i < children.size(); ++i)
        if (!evaluate(children[i], parameters).constant) return {};
    return {true, std::nullopt};
}

KnownValue ConstantEvaluator::unary(NodeIndex expression, const ParameterValues& parameters) {
    const std::string_view sign = tree_[expression].operation;
    if (sign != "-" && sign != "+" && sign != "~" && sign != "!") return {};
    const KnownValue operand = evaluate(tree_.child(expression, 0), parameters);
    if (!operand.number) return operand;
    const int64_t value = *operand.number;
    if (sign == "!") return known(!value);
    if (sign == "~") return known(~value);
    if (sign == "+") return known(value);
    const std::optional<int64_t> negated = calculate("-", 0, value);
    return {true, negated};
}

KnownValue ConstantEvaluator::binary(NodeIndex expression, const ParameterValues& parameters) {
    const std::string_view sign = tree_[expression].operation;
    const KnownValue left = evaluate(tree_.child(expression, 0), parameters);
    const KnownValue right = evaluate(tree_.child(expression, 1), parameters);
    if (sign == "&&" && (left.number == 0 || right.number == 0)) return known(0);
    if (sign == ",") return right;
    if (sign == "=" || !left.constant || !right.constant) return {};
    if (!left.number || !right.number) return {true, std::nullopt};
    return {true, calculate(sign, *left.number, *right.number)};
}

KnownValue ConstantEvaluator::reference(NodeIndex expression, const ParameterValues& parameters) {
    const SyntaxNode& node = tree_[expression];
    if (node.target_kind == NodeKind::Enumerator) {
        const NodeIndex enumerator = tree_.declaration(node.target);
        const NodeIndex value = enumerator == kNoNode ? kNoNode : tree_.child(enumerator, 0);
        return {true, value == kNoNode ? std::nullopt : evaluate(value, parameters).number};
    }
    return variable(node.target, parameters);
}

NodeIndex ConstantEvaluator::initialiser(NodeIndex variable) const {
    if (!tree_[variable].initialised) return kNoNode;
    NodeIndex last = kNoNode;
    for (NodeIndex child : tree_.children(variable))
        if (tree_[child].kind != NodeKind::Attribute) last = child;
    return last;
}

KnownValue ConstantEvaluator::variable(uint64_t id, const ParameterValues& parameters) {
    if (const auto counter = counters_.find(id); counter != counters_.end()) return known(counter->second);
    if (const KnownValue* value = parameters.find(id))
        return writes_.count(id) || escaped_.count(id) ? KnownValue{} : *value;
    const NodeIndex declaration = tree_.declaration(id);
    if (declaration == kNoNode || tree_[declaration].kind != NodeKind::Variable) return {};
    if (!has_fixed_value(tree_[declaration]) && (escaped_.count(id) || tree_[declaration].is_static)) return {};
    const auto& values_before = evaluated(parameters);
    if (const auto before = values_before.find(id); before != values_before.end()) return before->second;
    const auto [open, is_new] = open_.emplace(id, false);
    if (!is_new) {  // an increment: constant if all its other parts are
        open->second = true;
        return {true, std::nullopt};
    }
    const size_t found_before = found_constant_.size();
    const KnownValue value = value_of_declared(id, declaration, parameters);
    if (!value.constant && open->second) {  // what relied on the contrary is to be evaluated anew
        for (size_t i = found_before; i < found_constant_.size(); ++i)
            found_constant_[i].first->erase(found_constant_[i].second);
        found_constant_.resize(found_before);
    }
    open_.erase(open);
    auto& values = evaluated(parameters);
    values[id] = value;
    if (open_.empty())
        found_constant_.clear();
    else if (value.constant)
        found_constant_.emplace_back(&values, id);
    return value;
}

KnownValue ConstantEvaluator::value_of_declared(uint64_t id, NodeIndex declaration, const ParameterValues& parameters) {
    const auto writes = writes_.find(id);
    const bool written = writes != writes_.end();
    const bool is_fixed = has_fixed_value(tree_[declaration]);
    const NodeIndex first_value = initialiser(declaration);
    KnownValue value = first_value == kNoNode ? KnownValue{written, std::nullopt} : evaluate(first_value, parameters);
    if (tree_[declaration].constant) value.constant = true;
    if (written && !is_fixed) {
        if (counters_.empty()) value.number.reset();
        for (NodeIndex write : writes->second)
            value.constant = value.constant && writes_constant(write, declaration, parameters);
    }
    return value;
}

// The values of variables that were asked for before. They hold until a counter changes.
std::unordered_map<uint64_t, KnownValue>& ConstantEvaluator::evaluated(const ParameterValues& parameters) {
    if (counters_.empty()) return parameters.variables;
    if (parameters.round != round_) parameters.variables_in_round.clear();
    parameters.round = round_;
    return parameters.variables_in_round;
}

// Does the assignment that a reference is the left side of leave a constant, in each copy of its code?
bool ConstantEvaluator::writes_constant(NodeIndex write, NodeIndex declaration, const ParameterValues& parameters) {
    NodeIndex at = tree_[write].parent;
    while (at != kNoNode && tree_[at].kind == NodeKind::Paren) at = tree_[at].parent;
    if (at == kNoNode) return false;
    const SyntaxNode& node = tree_[at];
    const bool assigns =
        node.kind == NodeKind::CompoundAssign || (node.kind == NodeKind::Binary && node.operation == "=");
    if (!assigns && node.kind != NodeKind::Unary) return false;
    if (assigns && !evaluate(tree_.child(at, 1), parameters).constant) return false;
    return runs_once_unrolled(at, declaration, parameters);
}

// Between a node and the block that declares the variable: are all loops unrolled, and all conditions known?
bool ConstantEvaluator::runs_once_unrolled(NodeIndex node, NodeIndex declaration, const ParameterValues& parameters) {
    for (NodeIndex at = tree_[node].parent; at != kNoNode; at = tree_[at].parent) {
        const SyntaxNode& around = tree_[at];
        const bool declares = at < declaration && declaration < around.end;
        const bool is_counter = declares && around.kind == NodeKind::For && declaration < tree_[tree_.child(at, 0)].end;
        if (declares && !is_counter) return true;
        if (around.is_function()) return false;
        if (is_loop(around.kind) && !unrolled_rounds(at, parameters)) return false;
        if (is_counter) return true;
        const bool chooses = around.kind == NodeKind::If || around.kind == NodeKind::Conditional;
        if (chooses && !evaluate(tree_.child(at, 0), parameters).constant) return false;
        if (around.kind == NodeKind::Switch || around.kind == NodeKind::Lambda) return false;
    }
    return false;
}

bool ConstantEvaluator::has_pragma_against_unrolling(NodeIndex loop) const {
    const Range range = tree_[loop].tokens;
    const TokenStream& tokens = tree_.tokens();
    if (range.empty() || range.begin == 0 || tokens[range.begin - 1].kind != Token::Directive) return false;
    const std::string_view pragma = tokens.text(range.begin - 1);
    if (pragma.find("nounroll") != std::string_view::npos) return true;
    const size_t unroll = pragma.find("unroll");
    if (unroll == std::string_view::npos) return false;
    const size_t count = pragma.find_first_of("0123456789", unroll);
    return count != std::string_view::npos && pragma[count] == '1' &&
           (count + 1 == pragma.size() || !is_digit(pragma[count + 1]));
}

std::optional<uint64_t> ConstantEvaluator::unrolled_rounds(NodeIndex loop, const ParameterValues& parameters) {
    if (tree_[loop].kind != NodeKind::For || has_pragma_against_unrolling(loop)) return std::nullopt;
    if (const auto entry = parameters.unrolled_rounds.find(loop); entry != parameters.unrolled_rounds.end())
        return entry->second;
    std::optional<uint64_t> rounds = count_rounds(loop, parameters);
    if (rounds && *rounds * cost(tree_.child(loop, 4), parameters, 0) > kMaxUnrolledOperations) rounds.reset();
    if (counters_.empty()) parameters.unrolled_rounds.emplace(loop, rounds);
    return rounds;
}

// Runs the loop's head. A bound that depends on the counter of a loop around it has the value of that loop's first
// round.
std::optional<uint64_t> ConstantEvaluator::count_rounds(NodeIndex loop, const ParameterValues& parameters) {
    const NodeIndex before = tree_.child(loop, 0), condition = tree_.child(loop, 2), increment = tree_.child(loop, 3);
    if (before == kNoNode || tree_[before].kind != NodeKind::Declare) return std::nullopt;
    const NodeIndex counter = tree_.child(before, 0);
    if (counter == kNoNode || tree_[counter].kind != NodeKind::Variable) return std::nullopt;
    const uint64_t id = tree_[counter].id;
    if (counters_.count(id) || escaped_.count(id)) return std::nullopt;
    if (const auto writes = writes_.find(id); writes != writes_.end())
        for (NodeIndex write : writes->second)
            if (write < increment || write >= tree_[increment].end) return std::nullopt;
    const KnownValue first = evaluate(initialiser(counter), parameters);
    if (!first.number) return std::nullopt;
    std::optional<int64_t> value = first.number;
    std::optional<uint64_t> rounds;
    for (uint64_t round = 0; value && round <= kMaxRounds; ++round) {
        counters_[id] = *value;
        ++round_;
        const KnownValue goes_on = evaluate(condition, parameters);
        if (!goes_on.number) break;
        if (!*goes_on.number) {
            rounds = round;
            break;
        }
        value = step(increment, id, *value, parameters);
    }
    counters_.erase(id);
    ++round_;
    return rounds;
}

std::optional<int64_t> ConstantEvaluator::step(NodeIndex increment, uint64_t counter, int64_t value,
                                               const ParameterValues& parameters) {
    const SyntaxNode& node = tree_[increment];
    const NodeIndex target = tree_.without_conversions(tree_.child(increment, 0));
    if (target == kNoNode || tree_[target].target != counter) return std::nullopt;
    if (node.kind == NodeKind::Unary && (node.operation == "++" || node.operation == "--"))
        return calculate(node.operation == "++" ? "+" : "-", value, 1);
    const KnownValue right = evaluate(tree_.child(increment, 1), parameters);
    if (!right.number) return std::nullopt;
    if (node.kind == NodeKind::CompoundAssign && node.operation.size() > 1)
        return calculate(node.operation.substr(0, node.operation.size() - 1), value, *right.number);
    if (node.kind == NodeKind::Binary && node.operation == "=") return right.number;
    return std::nullopt;
}

// Loads, stores and arithmetic, without the arithmetic of addresses.
uint64_t ConstantEvaluator::cost(NodeIndex node, const ParameterValues& parameters, unsigned depth) {
    if (node == kNoNode) return 0;
    const SyntaxNode& at = tree_[node];
    if (at.kind == NodeKind::Lambda || at.kind == NodeKind::Sizeof) return 0;
    if (at.kind == NodeKind::Subscript) return 1 + cost(tree_.child(node, 0), parameters, depth);
    uint64_t operations = at.kind == NodeKind::CompoundAssign ||
                          (at.kind == NodeKind::Binary && at.operation != "=" && at.operation != ",");
    for (NodeIndex child : tree_.children(node)) {
        operations += cost(child, parameters, depth);
        if (operations > kMaxUnrolledOperations) break;
    }
    if (at.is_call()) {
        const NodeIndex callee = calls_.callee(node).definition;
        operations += callee == kNoNode || depth == kMaxCostDepth ? 1 : cost(tree_.body(callee), parameters, depth + 1);
    }
    if (at.kind == NodeKind::For)
        if (const std::optional<uint64_t> rounds = count_rounds(node, parameters)) operations *= *rounds;
    return std::min<uint64_t>(operations, kMaxUnrolledOperations + 1);
}

}  // namespace cuda_shim
