#include "hip/graphs/graph.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "hip/activity.h"
#include "hip/handle_table.h"
#include "hip/memory/memory_pool.h"
#include "hip/streams/capture.h"

namespace cuda_shim {
namespace {

std::atomic<unsigned long long> next_id{1};

template <class Element>
bool contains(const std::vector<Element>& list, const Element& element) {
    return std::find(list.begin(), list.end(), element) != list.end();
}

template <class Element>
void erase(std::vector<Element>& list, const Element& element) {
    list.erase(std::remove(list.begin(), list.end(), element), list.end());
}

}  // namespace

GraphNode::GraphNode(Graph& graph, CommandPtr command)
    : graph_(graph), id_(next_id.fetch_add(1)), command_(std::move(command)) {
    live_handles<GraphNode>().add(this);
}

GraphNode::~GraphNode() { live_handles<GraphNode>().remove(this); }

GraphNode* GraphNode::resolve(hipGraphNode_t handle) {
    GraphNode* node = reinterpret_cast<GraphNode*>(handle);
    return live_handles<GraphNode>().contains(node) ? node : nullptr;
}

Graph::Graph() : id_(next_id.fetch_add(1)) { live_handles<Graph>().add(this); }

Graph::~Graph() {
    live_handles<Graph>().remove(this);
    invalidate_captures_into(*this);
}

Graph* Graph::resolve(hipGraph_t handle) {
    Graph* graph = reinterpret_cast<Graph*>(handle);
    return live_handles<Graph>().contains(graph) ? graph : nullptr;
}

hipError_t Graph::check_dependencies(const std::vector<GraphNode*>& dependencies) const {
    std::vector<GraphNode*> checked;
    for (GraphNode* node : dependencies) {
        if (&node->graph() != this || contains(checked, node)) return hipErrorInvalidValue;
        checked.push_back(node);
    }
    return hipSuccess;
}

GraphNode& Graph::add(CommandPtr command, const std::vector<GraphNode*>& dependencies) {
    nodes_.push_back(std::make_unique<GraphNode>(*this, std::move(command)));
    GraphNode& node = *nodes_.back();
    node.dependencies_ = dependencies;
    if (auto* conditional = dynamic_cast<ConditionalCommand*>(&node.command())) {
        for (const auto& body : conditional->bodies()) body->around_ = this;
    }
    for (GraphNode* dependency : dependencies) dependency->dependents_.push_back(&node);
    return node;
}

void Graph::remove(GraphNode& node) {
    invalidate_captures_into(*this);  // they may hold on to the node
    for (GraphNode* dependency : node.dependencies_) erase(dependency->dependents_, &node);
    for (GraphNode* dependent : node.dependents_) erase(dependent->dependencies_, &node);
    auto place = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& owned) { return owned.get() == &node; });
    if (place != nodes_.end()) nodes_.erase(place);
}

hipError_t Graph::connect(GraphNode& from, GraphNode& to) {
    if (&from.graph() != this || &to.graph() != this || contains(to.dependencies_, &from)) return hipErrorInvalidValue;
    if (&from == &to) return hipErrorInvalidValue;
    to.dependencies_.push_back(&from);
    from.dependents_.push_back(&to);
    return hipSuccess;
}

hipError_t Graph::disconnect(GraphNode& from, GraphNode& to) {
    if (&from.graph() != this || &to.graph() != this || !contains(to.dependencies_, &from)) return hipErrorInvalidValue;
    erase(to.dependencies_, &from);
    erase(from.dependents_, &to);
    return hipSuccess;
}

std::vector<GraphNode*> Graph::roots() const {
    std::vector<GraphNode*> nodes;
    for (const auto& node : nodes_) {
        if (node->dependencies().empty()) nodes.push_back(node.get());
    }
    return nodes;
}

std::vector<Edge> Graph::edges() const {
    std::vector<Edge> list;
    for (const auto& node : nodes_) {
        for (GraphNode* dependent : node->dependents()) list.emplace_back(node.get(), dependent);
    }
    return list;
}

std::vector<GraphNode*> Graph::ordered() const {
    std::unordered_map<const GraphNode*, size_t> missing;
    std::vector<GraphNode*> order;
    order.reserve(nodes_.size());
    for (const auto& node : nodes_) {
        missing[node.get()] = node->dependencies().size();
        if (node->dependencies().empty()) order.push_back(node.get());
    }
    for (size_t i = 0; i < order.size(); ++i) {
        for (GraphNode* dependent : order[i]->dependents()) {
            if (--missing[dependent] == 0) order.push_back(dependent);
        }
    }
    return order;
}

bool Graph::has_memory_nodes() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return is_memory_node(node->type()); });
}

bool Graph::has_conditional_nodes() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->type() == kConditionalNode; });
}

bool Graph::may_be_body() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        switch (static_cast<int>(node->type())) {
            case hipGraphNodeTypeKernel:
            case hipGraphNodeTypeMemcpy:
            case hipGraphNodeTypeMemset:
            case hipGraphNodeTypeEmpty:
            case kConditionalNode:
                return true;
            case hipGraphNodeTypeGraph: {
                auto* child = dynamic_cast<const ChildGraphCommand*>(&node->command());
                return child && child->graph().may_be_body();
            }
            default:
                return false;
        }
    });
}

Conditions& Graph::conditions() {
    Graph* outermost = this;
    while (outermost->around_) outermost = outermost->around_;
    return outermost->conditions_;
}

std::shared_ptr<Condition> Graph::find_condition(uint64_t handle) {
    for (const auto& condition : conditions().all) {
        if (condition->handle() != handle) continue;
        for (const Graph* graph = this; graph; graph = graph->around_) {
            if (condition->belongs_to(*graph)) return condition;
        }
    }
    return nullptr;
}

bool Graph::frees(const void* base) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [base](const auto& node) {
        auto* command = dynamic_cast<const FreeCommand*>(&node->command());
        return command && command->base() == base;
    });
}

std::shared_ptr<void> Graph::instance_token() {
    std::shared_ptr<void> token = instances_.lock();
    if (!token) instances_ = token = std::make_shared<char>();
    return token;
}

bool Graph::has_cycle() const {
    if (ordered().size() != nodes_.size()) return true;
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        if (auto* conditional = dynamic_cast<const ConditionalCommand*>(&node->command())) {
            const auto& bodies = conditional->bodies();
            return std::any_of(bodies.begin(), bodies.end(), [](const auto& body) { return body->has_cycle(); });
        }
        auto* child = dynamic_cast<const ChildGraphCommand*>(&node->command());
        return child && child->graph().has_cycle();
    });
}

std::unique_ptr<Graph> Graph::clone() const {
    auto copy = std::make_unique<Graph>();
    std::unordered_map<const GraphNode*, GraphNode*> twin;
    for (const auto& node : nodes_) {
        GraphNode& cloned = copy->add(node->command().clone(), {});
        cloned.cloned_from = node->id();
        cloned.attributes.copy_from(node->attributes);
        twin[node.get()] = &cloned;
    }
    for (const auto& node : nodes_) {
        for (const GraphNode* dependency : node->dependencies()) {
            twin[node.get()]->dependencies_.push_back(twin[dependency]);
        }
        for (const GraphNode* dependent : node->dependents()) {
            twin[node.get()]->dependents_.push_back(twin[dependent]);
        }
    }
    copy->user_objects_.add_all(user_objects_);
    return copy;
}

ChildGraphCommand::ChildGraphCommand(std::unique_ptr<Graph> graph) : graph_(std::move(graph)) {
    graph_->embedded = true;
}

hipError_t run_nodes(const Graph& graph, Device& device) {
    for (GraphNode* node : graph.ordered()) {
        if (hipError_t status = run_step(node->command(), device)) return status;
    }
    return hipSuccess;
}

}  // namespace cuda_shim
