// The program that an instance of a graph runs: the nodes' commands, copied, in an order that keeps every dependency.
#pragma once
#include <memory>
#include <vector>

#include "hip/graphs/graph.h"

namespace cuda_shim {

struct GraphProgram;
using GraphProgramPtr = std::shared_ptr<const GraphProgram>;

struct GraphStep {
    std::shared_ptr<Command> command;  // null for child graphs and conditional nodes, which have `graphs`
    unsigned long long node = 0;       // id of the node it was made from
    hipGraphNodeType type = hipGraphNodeTypeEmpty;
    bool enabled = true;
    std::vector<size_t> dependencies;      // positions in `steps`, in the order in which they were added
    std::vector<GraphProgramPtr> graphs;   // the child graph, or the graphs that the condition chooses from
    std::shared_ptr<Condition> condition;  // null for a child graph
    ConditionalType conditional = ConditionalType::If;
};

// Never changed once it is shared with a launch: updates make a new one.
struct GraphProgram {
    std::vector<GraphStep> steps;                          // as the nodes were added
    std::vector<size_t> order;                             // positions in `steps`
    std::vector<std::vector<size_t>> followers;            // per step, the steps that depend on it
    bool branches = false;                                 // some steps need not wait for each other
    std::shared_ptr<const ObjectReferences> user_objects;  // objects held by the graph, until the last launch is done
    Conditions conditions;                                 // of the outermost graph, including all graphs inside of it
};

GraphProgramPtr make_program(Graph& graph);

// Merges the commands of `after`, a program of the same shape, into `before`. Otherwise returns the kind of difference,
// and in `culprit` the id of the node of `after` that has it; 0 where no node is at fault: as in CUDA, where the graph
// has another number of nodes, or fewer that no other depends on.
hipGraphExecUpdateResult merge_programs(const GraphProgram& before, const GraphProgram& after, GraphProgramPtr& merged,
                                        unsigned long long& culprit);

// `program` with the step of a node, wherever it is, changed: hipError_t change(GraphStep&). hipErrorInvalidValue when
// it has no such step.
template <class Change>
hipError_t change_step(const GraphProgram& program, unsigned long long node, GraphProgramPtr& new_program,
                       Change&& change);

// The step of a node, wherever it is; null when there is none.
const GraphStep* find_step(const GraphProgram& program, unsigned long long node);

// Calls visit(const GraphStep&) for all steps, including the steps of the graphs inside.
template <class Visit>
void for_each_step(const GraphProgram& program, const Visit& visit) {
    for (const GraphStep& step : program.steps) {
        visit(step);
        for (const GraphProgramPtr& inner : step.graphs) for_each_step(*inner, visit);
    }
}

template <class Change>
hipError_t change_step(const GraphProgram& program, unsigned long long node, GraphProgramPtr& new_program,
                       Change&& change) {
    const auto copy_with = [&](size_t at) {
        auto copy = std::make_shared<GraphProgram>(program);
        new_program = copy;
        return &copy->steps[at];
    };
    for (size_t i = 0; i < program.steps.size(); ++i) {
        const GraphStep& step = program.steps[i];
        if (step.node == node) return change(*copy_with(i));
        for (size_t inner = 0; inner < step.graphs.size(); ++inner) {
            if (!find_step(*step.graphs[inner], node)) continue;
            GraphProgramPtr changed_inside;
            hipError_t status = change_step(*step.graphs[inner], node, changed_inside, change);
            if (status == hipSuccess) copy_with(i)->graphs[inner] = std::move(changed_inside);
            return status;
        }
    }
    return hipErrorInvalidValue;
}

}  // namespace cuda_shim
