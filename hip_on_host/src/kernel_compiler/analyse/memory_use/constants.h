// Values that a compiler knows once it has inlined functions and unrolled loops.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {

// Is a value constant in each copy of the code, and its number where it is the same in all copies?
struct KnownValue {
    bool constant = false;
    std::optional<int64_t> number;
};

// The values of a function's parameters in one inlined call. Those of its callers are found through `caller`.
struct ParameterValues {
    const ParameterValues* caller = nullptr;
    std::unordered_map<uint64_t, KnownValue> values;                                 // by the parameter's id
    mutable std::unordered_map<NodeIndex, std::optional<uint64_t>> unrolled_rounds;  // of loops asked for before
    mutable std::unordered_map<uint64_t, KnownValue> variables;                      // asked for before, by id
    mutable std::unordered_map<uint64_t, KnownValue> variables_in_round;             // while rounds are counted
    mutable uint64_t round = 0;                                                      // which of them

    const KnownValue* find(uint64_t parameter) const;
};

class ConstantEvaluator {
public:
    explicit ConstantEvaluator(const CallGraph& calls);

    KnownValue evaluate(NodeIndex expression, const ParameterValues& parameters);
    // The number of rounds of a loop that compilers unroll whole: the number is known, and the rounds are short.
    std::optional<uint64_t> unrolled_rounds(NodeIndex loop, const ParameterValues& parameters);

private:
    KnownValue variable(uint64_t id, const ParameterValues& parameters);
    KnownValue value_of_declared(uint64_t id, NodeIndex declaration, const ParameterValues& parameters);
    std::unordered_map<uint64_t, KnownValue>& evaluated(const ParameterValues& parameters);
    KnownValue unary(NodeIndex expression, const ParameterValues& parameters);
    KnownValue binary(NodeIndex expression, const ParameterValues& parameters);
    KnownValue reference(NodeIndex expression, const ParameterValues& parameters);
    KnownValue all_of(NodeIndex expression, const ParameterValues& parameters, size_t first_child);
    bool writes_constant(NodeIndex write, NodeIndex declaration, const ParameterValues& parameters);
    bool runs_once_unrolled(NodeIndex node, NodeIndex declaration, const ParameterValues& parameters);
    std::optional<uint64_t> count_rounds(NodeIndex loop, const ParameterValues& parameters);
    std::optional<int64_t> step(NodeIndex increment, uint64_t counter, int64_t value,
                                const ParameterValues& parameters);
    bool has_pragma_against_unrolling(NodeIndex loop) const;
    uint64_t cost(NodeIndex node, const ParameterValues& parameters, unsigned depth);
    NodeIndex initialiser(NodeIndex variable) const;

    const CallGraph& calls_;
    const SyntaxTree& tree_;
    std::unordered_map<uint64_t, std::vector<NodeIndex>> writes_;  // references that write a variable, by its id
    std::set<uint64_t> escaped_;                                   // variables that change elsewhere
    std::map<uint64_t, int64_t> counters_;                         // of loops whose rounds are being counted
    uint64_t round_ = 0;                                           // another number whenever a counter changes

    // Variables whose values are being evaluated, and whether one of these values asked for the variable itself. What
    // is then found constant is so only if the variable is.
    std::map<uint64_t, bool> open_;
    std::vector<std::pair<std::unordered_map<uint64_t, KnownValue>*, uint64_t>> found_constant_;  // while some are open
};

}  // namespace cuda_shim
