// Graphs: commands with dependencies, built by calls or by stream capture. Like HIP's, they are not safe to
// change from several threads at once.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "hip/graphs/graph_condition.h"
#include "hip/graphs/user_object.h"
#include "hip/launch/launch_attributes.h"
#include "hip/streams/command.h"

namespace cuda_shim {

class Graph;

class GraphNode {
public:
    GraphNode(Graph& graph, CommandPtr command);
    ~GraphNode();
    GraphNode(const GraphNode&) = delete;
    GraphNode& operator=(const GraphNode&) = delete;

    static GraphNode* resolve(hipGraphNode_t handle);
    hipGraphNode_t handle() { return reinterpret_cast<hipGraphNode_t>(this); }

    Graph& graph() const { return graph_; }
    unsigned long long id() const { return id_; }
    hipGraphNodeType type() const { return command_->node_type(); }
    Command& command() const { return *command_; }
    void set_command(CommandPtr command) { command_ = std::move(command); }

    const std::vector<GraphNode*>& dependencies() const { return dependencies_; }
    const std::vector<GraphNode*>& dependents() const { return dependents_; }
    // The node of another graph that this one was cloned from; 0 when it was not.
    unsigned long long cloned_from = 0;
    LaunchAttributes attributes;

private:
    friend class Graph;
    Graph& graph_;
    unsigned long long id_;
    CommandPtr command_;
    std::vector<GraphNode*> dependencies_;
    std::vector<GraphNode*> dependents_;
};

using Edge = std::pair<GraphNode*, GraphNode*>;  // from, to

class Graph {
public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    static Graph* resolve(hipGraph_t handle);
    hipGraph_t handle() { return reinterpret_cast<hipGraph_t>(this); }
    unsigned long long id() const { return id_; }

    // hipErrorInvalidValue when a dependency is no node of this graph or is named twice.
    hipError_t check_dependencies(const std::vector<GraphNode*>& dependencies) const;
    GraphNode& add(CommandPtr command, const std::vector<GraphNode*>& dependencies);
    void remove(GraphNode& node);
    // hipErrorInvalidValue for an edge that is there, or leads to where it comes from; for one that is not there.
    hipError_t connect(GraphNode& from, GraphNode& to);
    hipError_t disconnect(GraphNode& from, GraphNode& to);

    // Graphs that allocate or free cannot be cloned or be a child, their memory nodes stay where they are, and only one
    // instance of them may exist: an address belongs to one node.
    bool has_memory_nodes() const;
    bool frees(const void* base) const;
    // Graphs with conditional nodes, at any depth, cannot be cloned or be a child: a condition belongs to one node.
    bool has_conditional_nodes() const;
    // True if a conditional node may run this graph: all its nodes, and the nodes of its child graphs, are of allowed
    // types.
    bool may_be_body() const;
    // True if a conditional node runs this graph; such graphs live and are instantiated with the graph around them.
    bool is_body() const { return around_ != nullptr; }
    // The conditions of the outermost graph around this one.
    Conditions& conditions();
    // A condition that was created for this graph or for one around it; null when the handle is none.
    std::shared_ptr<Condition> find_condition(uint64_t handle);
    // Held by every instance; expired when there is none.
    std::shared_ptr<void> instance_token();
    bool has_instance() const { return !instances_.expired(); }

    const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
    std::vector<GraphNode*> roots() const;
    std::vector<Edge> edges() const;
    // Edges may be added that close a circle; such a graph, or one
    // that has such a child, cannot be instantiated.
    bool has_cycle() const;
    // Every node after its dependencies; nodes that do not depend on each other keep the order they were added in.
    // Nodes on a circle, and behind one, are missing.
    std::vector<GraphNode*> ordered() const;
    std::unique_ptr<Graph> clone() const;

    ObjectReferences& user_objects() { return user_objects_; }
    const ObjectReferences& user_objects() const { return user_objects_; }
    // A graph inside a child node belongs to that node, one that is being captured to the capture: it cannot be
    // destroyed by itself.
    bool embedded = false;

private:
    unsigned long long id_;
    std::vector<std::unique_ptr<GraphNode>> nodes_;
    ObjectReferences user_objects_;
    std::weak_ptr<void> instances_;
    Graph* around_ = nullptr;  // the graph with the conditional node whose body this is
    Conditions conditions_;
};

// Runs the nodes of a graph in order on the calling thread.
hipError_t run_nodes(const Graph& graph, Device& device);

inline bool is_memory_node(hipGraphNodeType type) {
    return type == hipGraphNodeTypeMemAlloc || type == hipGraphNodeTypeMemFree;
}

// A graph as one node of another; runs its nodes in order.
class ChildGraphCommand final : public Command {
public:
    explicit ChildGraphCommand(std::unique_ptr<Graph> graph);
    hipError_t execute(Device& device) override { return run_nodes(*graph_, device); }
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeGraph; }
    CommandPtr clone() const override { return std::make_unique<ChildGraphCommand>(graph_->clone()); }
    Graph& graph() const { return *graph_; }

private:
    std::unique_ptr<Graph> graph_;
};

}  // namespace cuda_shim
