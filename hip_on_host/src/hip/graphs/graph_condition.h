// Conditional nodes of graphs: IF, WHILE and SWITCH over a value that kernels set. CUDA has them and HIP does not, so
// their names here are the runtime's own.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hip/streams/command.h"

namespace cuda_shim {

class Graph;
class GraphNode;

// The type of conditional nodes, which HIP has no number for: none of HIP's, nor of CUDA's.
constexpr auto kConditionalNode = static_cast<hipGraphNodeType>(0x10000);

enum class ConditionalType : int { If = 0, While = 1, Switch = 2 };  // numbered as CUDA's

// A value that kernels set and a conditional node reads. It is in memory of the device, and its address is the handle
// that kernels are given; no other call knows that memory.
class Condition {
public:
    // Null when there is no memory.
    static std::shared_ptr<Condition> create(const Graph& graph, unsigned default_value, bool assigned);
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    uint64_t handle() const { return reinterpret_cast<uintptr_t>(cell_); }
    unsigned value() const { return __atomic_load_n(cell_, __ATOMIC_ACQUIRE); }
    // Every launch of an instance begins with the default, where the program wants that.
    void begin_launch();
    // The graph that it was created for.
    bool belongs_to(const Graph& graph) const { return graph_ == &graph; }

    bool used = false;  // by a node; a second one cannot be

private:
    Condition(const Graph& graph, unsigned* cell, unsigned default_value, bool assigned)
        : graph_(&graph), cell_(cell), default_value_(default_value), assigned_(assigned) {}

    const Graph* const graph_;  // an identity alone: it may be gone
    unsigned* const cell_;
    const unsigned default_value_;
    const bool assigned_;
};

// The conditions of a graph and of all graphs inside of its conditional nodes.
struct Conditions {
    std::vector<std::shared_ptr<Condition>> all;
    // Instances of one graph share them, so their launches do not overlap.
    std::shared_ptr<std::mutex> launches = std::make_shared<std::mutex>();
};

// A conditional node: the graphs that it may run, in CUDA's order, and the condition that selects among them.
class ConditionalCommand final : public Command {
public:
    ConditionalCommand(std::shared_ptr<Condition> condition, ConditionalType type, unsigned size);
    ~ConditionalCommand() override;

    // Instances run the graphs by themselves, in their own form.
    hipError_t execute(Device& device) override;
    hipGraphNodeType node_type() const override { return kConditionalNode; }
    // Graphs that hold one are never copied: two nodes cannot share a condition.
    CommandPtr clone() const override { return nullptr; }

    const std::shared_ptr<Condition>& condition() const { return condition_; }
    ConditionalType type() const { return type_; }
    const std::vector<std::unique_ptr<Graph>>& bodies() const { return bodies_; }
    // The handles of the graphs, as an array that lives as long as the node.
    hipGraph_t* handles() { return handles_.data(); }

private:
    std::shared_ptr<Condition> condition_;
    ConditionalType type_;
    std::vector<std::unique_ptr<Graph>> bodies_;
    std::vector<hipGraph_t> handles_;
};

constexpr size_t kNoBody = ~size_t{0};
// The index, below `count`, of the graph that a node of the type runs for a value; kNoBody for none of them.
size_t chosen_body(ConditionalType type, unsigned value, size_t count);

// True if a node of the type may have `count` graphs.
bool may_have_bodies(ConditionalType type, unsigned count);

}  // namespace cuda_shim
