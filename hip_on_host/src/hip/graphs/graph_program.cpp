#include "hip/graphs/graph_program.h"

#include <algorithm>
#include <unordered_map>

namespace cuda_shim {
namespace {

constexpr size_t kNowhere = ~size_t{0};

// For each step of one program the position of its twin in the other.
using Pairing = std::vector<size_t>;

GraphStep make_step(const GraphNode& node) {
    GraphStep step;
    step.node = node.id();
    step.type = node.type();
    // A launch of an instantiated graph that was captured is a node of the type of child graphs too, but opaque.
    if (auto* child = dynamic_cast<const ChildGraphCommand*>(&node.command())) {
        step.graphs.push_back(make_program(child->graph()));
    } else if (auto* conditional = dynamic_cast<const ConditionalCommand*>(&node.command())) {
        for (const auto& body : conditional->bodies()) step.graphs.push_back(make_program(*body));
        step.condition = conditional->condition();
        step.conditional = conditional->type();
    } else {
        step.command = node.command().clone();
    }
    return step;
}

// Steps form a single line when each depends on the one before it.
void find_branches(GraphProgram& program) {
    program.followers.resize(program.steps.size());
    for (size_t i = 0; i < program.steps.size(); ++i)
        for (size_t dependency : program.steps[i].dependencies) program.followers[dependency].push_back(i);
    for (size_t i = 1; i < program.order.size(); ++i) {
        const std::vector<size_t>& before = program.steps[program.order[i]].dependencies;
        if (std::find(before.begin(), before.end(), program.order[i - 1]) == before.end()) program.branches = true;
    }
}

// The steps that no other step depends on, in their order.
struct Exits {
    std::vector<size_t> steps;
    explicit Exits(const GraphProgram& program) {
        std::vector<bool> awaited(program.steps.size());
        for (const GraphStep& step : program.steps)
            for (size_t dependency : step.dependencies) awaited[dependency] = true;
        for (size_t i = 0; i < awaited.size(); ++i)
            if (!awaited[i]) steps.push_back(i);
    }
};

// The first step whose dependencies differ between the programs, compared by number; kNowhere if none do.
size_t first_other_dependency(const GraphProgram& before, const GraphProgram& after) {
    for (size_t i = 0; i < before.steps.size(); ++i) {
        const auto &old_ones = before.steps[i].dependencies, &new_ones = after.steps[i].dependencies;
        if (old_ones.size() != new_ones.size()) return i;
        if (!std::is_permutation(old_ones.begin(), old_ones.end(), new_ones.begin())) return i;
    }
    return kNowhere;
}

// Pairs steps along the edges, as CUDA does: the steps that no other depends on in their order, and from there on their
// dependencies, in the order in which those edges were added. Empty where the shapes differ.
Pairing pair_by_edges(const GraphProgram& before, const GraphProgram& after) {
    Pairing twin(before.steps.size(), kNowhere), back(after.steps.size(), kNowhere);
    std::vector<size_t> open;
    const auto pair = [&](size_t one, size_t other) {
        if (twin[one] == other) return true;
        if (twin[one] != kNowhere || back[other] != kNowhere) return false;
        twin[one] = other;
        back[other] = one;
        open.push_back(one);
        return true;
    };
    const Exits exits(before), other_exits(after);
    for (size_t i = 0; i < exits.steps.size(); ++i) pair(exits.steps[i], other_exits.steps[i]);
    while (!open.empty()) {
        const size_t at = open.back();
        open.pop_back();
        const auto &old_ones = before.steps[at].dependencies, &new_ones = after.steps[twin[at]].dependencies;
        if (old_ones.size() != new_ones.size()) return {};
        for (size_t i = 0; i < old_ones.size(); ++i)
            if (!pair(old_ones[i], new_ones[i])) return {};
    }
    return twin;
}

class Merge {
public:
    hipGraphExecUpdateResult run(const GraphProgram& before, const GraphProgram& after, GraphProgramPtr& merged) {
        culprit = 0;
        if (before.steps.size() != after.steps.size()) return hipGraphExecUpdateErrorTopologyChanged;
        const Exits exits(before), other_exits(after);
        if (exits.steps.size() < other_exits.steps.size()) culprit = after.steps[other_exits.steps.back()].node;
        if (exits.steps.size() != other_exits.steps.size()) return hipGraphExecUpdateErrorTopologyChanged;

        hipGraphExecUpdateResult as_numbered = hipGraphExecUpdateErrorTopologyChanged;
        const size_t differs = first_other_dependency(before, after);
        if (differs == kNowhere) {
            Pairing pairing(before.steps.size());
            for (size_t i = 0; i < pairing.size(); ++i) pairing[i] = i;
            as_numbered = take_over(before, after, pairing, merged);
            if (as_numbered == hipGraphExecUpdateSuccess) return as_numbered;
        } else {
            culprit = after.steps[differs].node;
        }
        const unsigned long long at_fault = culprit;
        const Pairing twins = pair_by_edges(before, after);
        if (!twins.empty() && take_over(before, after, twins, merged) == hipGraphExecUpdateSuccess)
            return hipGraphExecUpdateSuccess;
        culprit = at_fault;
        return as_numbered;
    }

    unsigned long long culprit = 0;

private:
    hipGraphExecUpdateResult take_over(const GraphProgram& before, const GraphProgram& after, const Pairing& twins,
                                       GraphProgramPtr& merged) {
        auto new_program = std::make_shared<GraphProgram>(before);
        for (size_t i = 0; i < twins.size(); ++i) {
            const GraphStep& from = after.steps[twins[i]];
            hipGraphExecUpdateResult result = take_over(new_program->steps[i], from);
            if (result == hipGraphExecUpdateSuccess) continue;
            if (!culprit) culprit = from.node;
            return result;
        }
        new_program->user_objects = after.user_objects;
        new_program->conditions = after.conditions;
        culprit = 0;
        merged = std::move(new_program);
        return hipGraphExecUpdateSuccess;
    }

    hipGraphExecUpdateResult take_over(GraphStep& step, const GraphStep& from) {
        culprit = 0;
        // A graph that was captured as a whole is of the same type as a child graph.
        if (step.type != from.type || !step.command != !from.command) return hipGraphExecUpdateErrorNodeTypeChanged;
        if (step.command) {
            hipGraphExecUpdateResult result = step.command->may_become(*from.command);
            if (result == hipGraphExecUpdateSuccess) step.command = from.command;
            return result;
        }
        if (step.conditional != from.conditional || step.graphs.size() != from.graphs.size())
            return hipGraphExecUpdateErrorParametersChanged;
        for (size_t i = 0; i < step.graphs.size(); ++i) {
            const GraphProgramPtr old = step.graphs[i];
            hipGraphExecUpdateResult result = run(*old, *from.graphs[i], step.graphs[i]);
            if (result != hipGraphExecUpdateSuccess) return result;
        }
        step.condition = from.condition;
        return hipGraphExecUpdateSuccess;
    }
};

}  // namespace

GraphProgramPtr make_program(Graph& graph) {
    auto program = std::make_shared<GraphProgram>();
    program->user_objects = std::make_shared<ObjectReferences>(graph.user_objects());
    if (!graph.is_body()) program->conditions = graph.conditions();
    std::unordered_map<const GraphNode*, size_t> place;
    for (const auto& node : graph.nodes()) {
        place[node.get()] = program->steps.size();
        program->steps.push_back(make_step(*node));
    }
    for (const auto& node : graph.nodes()) {
        std::vector<size_t>& dependencies = program->steps[place[node.get()]].dependencies;
        for (const GraphNode* dependency : node->dependencies()) dependencies.push_back(place[dependency]);
    }
    for (const GraphNode* node : graph.ordered()) program->order.push_back(place[node]);
    find_branches(*program);
    return program;
}

hipGraphExecUpdateResult merge_programs(const GraphProgram& before, const GraphProgram& after, GraphProgramPtr& merged,
                                        unsigned long long& culprit) {
    Merge merge;
    hipGraphExecUpdateResult result = merge.run(before, after, merged);
    culprit = merge.culprit;
    return result;
}

const GraphStep* find_step(const GraphProgram& program, unsigned long long node) {
    for (const GraphStep& step : program.steps) {
        if (step.node == node) return &step;
        for (const GraphProgramPtr& inner : step.graphs)
            if (const GraphStep* step = find_step(*inner, node)) return step;
    }
    return nullptr;
}

}  // namespace cuda_shim
