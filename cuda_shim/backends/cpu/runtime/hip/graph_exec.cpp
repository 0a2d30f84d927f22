#include "hip/graph_exec.h"

#include <algorithm>
#include <unordered_map>

#include "hip/activity.h"
#include "hip/api.h"
#include "hip/event.h"
#include "hip/graph_memory.h"
#include "hip/handle_table.h"

namespace cuda_shim {
namespace {

constexpr size_t kCheapSteps = 4;

using Program = GraphExec::Program;
using Step = GraphExec::Step;

Graph* child_of(const Command& command) {
    // A launch of an instantiated graph that was captured is a node of this type too, but opaque.
    auto* child = dynamic_cast<const ChildGraphCommand*>(&command);
    return child ? &child->graph() : nullptr;
}

// A child graph's node is kept as a step without work of its own, followed by the child's steps: what depends on the
// node, depends on the child's last steps by the order alone.
void flatten(const Graph& graph, int depth, Program& program) {
    std::unordered_map<const GraphNode*, size_t> place;
    std::unordered_map<const GraphNode*, std::vector<size_t>> child_order;
    for (const auto& node : graph.nodes()) {
        Step step;
        step.node = node->id();
        step.type = node->type();
        step.depth = depth;
        place[node.get()] = program.steps.size();
        Graph* child = child_of(node->command());
        if (child) step.user_objects = std::make_shared<ObjectReferences>(child->user_objects());
        if (!child) step.command = node->command().clone();
        program.steps.push_back(std::move(step));
        if (child) {
            size_t before = program.order.size();
            flatten(*child, depth + 1, program);
            auto first = program.order.begin() + static_cast<std::ptrdiff_t>(before);
            child_order[node.get()].assign(first, program.order.end());
            program.order.erase(first, program.order.end());
        }
    }
    for (const auto& node : graph.nodes()) {
        std::vector<size_t>& dependencies = program.steps[place[node.get()]].dependencies;
        for (const GraphNode* dependency : node->dependencies()) dependencies.push_back(place[dependency]);
        std::sort(dependencies.begin(), dependencies.end());
    }
    for (const GraphNode* node : graph.ordered()) {
        program.order.push_back(place[node]);
        const std::vector<size_t>& inner = child_order[node];
        program.order.insert(program.order.end(), inner.begin(), inner.end());
    }
}

Program flatten(const Graph& graph) {
    Program program;
    program.user_objects = std::make_shared<ObjectReferences>(graph.user_objects());
    flatten(graph, 0, program);
    return program;
}

constexpr size_t kNowhere = ~size_t{0};

// Steps of the graph itself, and those among them that nothing depends on.
struct Size {
    size_t steps = 0, exits = 0;
    size_t last_exit = kNowhere;
};

Size size_of(const Program& program) {
    std::vector<bool> awaited(program.steps.size());
    for (const Step& step : program.steps)
        for (size_t dependency : step.dependencies) awaited[dependency] = true;
    Size size;
    for (size_t i = 0; i < program.steps.size(); ++i) {
        if (program.steps[i].depth != 0) continue;
        ++size.steps;
        if (awaited[i]) continue;
        ++size.exits;
        size.last_exit = i;
    }
    return size;
}

hipGraphExecUpdateResult compare(const Step& before, const Step& after) {
    if (before.depth != after.depth) return hipGraphExecUpdateErrorTopologyChanged;
    if (before.type != after.type) return hipGraphExecUpdateErrorNodeTypeChanged;
    if (before.dependencies != after.dependencies) return hipGraphExecUpdateErrorTopologyChanged;
    // A graph that was captured as a whole is of the same type as a child graph.
    if (!before.command != !after.command) return hipGraphExecUpdateErrorNodeTypeChanged;
    return before.command ? before.command->may_become(*after.command) : hipGraphExecUpdateSuccess;
}

// What differs between two shapes, at which position of the new one; success when nothing does. As in CUDA, no position
// is at fault where the new graph has another number of nodes, or fewer that nothing depends on.
hipGraphExecUpdateResult compare(const Program& old_program, const Program& new_program, size_t& position) {
    position = kNowhere;
    const Size before = size_of(old_program), after = size_of(new_program);
    if (before.steps != after.steps || before.exits > after.exits) return hipGraphExecUpdateErrorTopologyChanged;
    if (before.exits < after.exits) {
        position = after.last_exit;
        return hipGraphExecUpdateErrorTopologyChanged;
    }
    const size_t shared = std::min(old_program.steps.size(), new_program.steps.size());
    for (position = 0; position < shared; ++position) {
        hipGraphExecUpdateResult result = compare(old_program.steps[position], new_program.steps[position]);
        if (result != hipGraphExecUpdateSuccess) return result;
    }
    if (old_program.steps.size() == new_program.steps.size()) return hipGraphExecUpdateSuccess;
    position = kNowhere;  // a child graph has more nodes than it had, or fewer
    return hipGraphExecUpdateErrorTopologyChanged;
}

GraphNode* find_node(const Graph& graph, unsigned long long id) {
    for (const auto& node : graph.nodes()) {
        if (node->id() == id) return node.get();
        Graph* child = child_of(node->command());
        if (GraphNode* inner = child ? find_node(*child, id) : nullptr) return inner;
    }
    return nullptr;
}

// Everything of a step that another graph of the same shape says.
void take_over(Step& step, const Step& from) {
    step.command = from.command;
    step.user_objects = from.user_objects;
}

}  // namespace

static bool can_be_disabled(hipGraphNodeType type) {
    return type == hipGraphNodeTypeKernel || type == hipGraphNodeTypeMemcpy || type == hipGraphNodeTypeMemset;
}

GraphExec::GraphExec(Graph& graph, unsigned long long flags)
    : flags_(flags), instance_of_(graph.instance_token()), program_(std::make_shared<Program>(flatten(graph))) {
    live_handles<GraphExec>().add(this);
}

GraphExec::~GraphExec() { live_handles<GraphExec>().remove(this); }

GraphExec* GraphExec::resolve(hipGraphExec_t handle) {
    auto* exec = reinterpret_cast<GraphExec*>(handle);
    return live_handles<GraphExec>().contains(exec) ? exec : nullptr;
}

std::shared_ptr<const Program> GraphExec::program() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return program_;
}

template <class Change>
hipError_t GraphExec::change_step(const GraphNode& node, Change&& change) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto changed = std::make_shared<Program>(*program_);
    for (size_t i = 0; i < changed->steps.size(); ++i) {
        if (changed->steps[i].node != node.id()) continue;
        CUDA_SHIM_TRY(change(*changed, i));
        program_ = std::move(changed);
        return hipSuccess;
    }
    return hipErrorInvalidValue;
}

hipError_t GraphExec::replace(const GraphNode& node, CommandPtr command) {
    if (const Graph* child = child_of(*command)) return replace_child(node, *child);
    return change_step(node, [&](Program& program, size_t i) {
        const bool same_type = program.steps[i].command && program.steps[i].type == command->node_type();
        if (!same_type) return hipErrorInvalidValue;
        if (program.steps[i].command->may_become(*command) != hipGraphExecUpdateSuccess) return hipErrorInvalidValue;
        program.steps[i].command = std::move(command);
        return hipSuccess;
    });
}

hipError_t GraphExec::replace_child(const GraphNode& node, const Graph& child) {
    return change_step(node, [&](Program& program, size_t parent) {
        if (program.steps[parent].type != hipGraphNodeTypeGraph || program.steps[parent].command) {
            return hipErrorInvalidValue;  // no child graph
        }
        Program fresh = flatten(child);
        Program old;
        size_t first = parent + 1, last = first;
        while (last < program.steps.size() && program.steps[last].depth > program.steps[parent].depth) ++last;
        for (size_t i = first; i < last; ++i) {
            Step step = program.steps[i];
            step.depth -= program.steps[parent].depth + 1;
            for (size_t& dependency : step.dependencies) dependency -= first;
            old.steps.push_back(std::move(step));
        }
        size_t position;
        if (compare(old, fresh, position) != hipGraphExecUpdateSuccess) return hipErrorGraphExecUpdateFailure;
        for (size_t i = first; i < last; ++i) take_over(program.steps[i], fresh.steps[i - first]);
        program.steps[parent].user_objects = fresh.user_objects;
        return hipSuccess;
    });
}

hipError_t GraphExec::set_enabled(const GraphNode& node, bool enabled) {
    return change_step(node, [&](Program& program, size_t i) {
        Step& step = program.steps[i];
        if (!can_be_disabled(step.type)) return hipErrorInvalidValue;
        step.enabled = enabled;
        return hipSuccess;
    });
}

hipError_t GraphExec::get_enabled(const GraphNode& node, bool& enabled) const {
    std::shared_ptr<const Program> current = program();
    for (const Step& step : current->steps) {
        if (step.node != node.id()) continue;
        if (!can_be_disabled(step.type)) return hipErrorInvalidValue;
        enabled = step.enabled;
        return hipSuccess;
    }
    return hipErrorInvalidValue;
}

hipGraphExecUpdateResult GraphExec::update(const Graph& graph, GraphNode*& culprit) {
    culprit = nullptr;
    Program fresh = flatten(graph);
    std::lock_guard<std::mutex> lock(mutex_);
    size_t position;
    hipGraphExecUpdateResult result = compare(*program_, fresh, position);
    if (result != hipGraphExecUpdateSuccess) {
        if (position != kNowhere) culprit = find_node(graph, fresh.steps[position].node);
        return result;
    }
    auto changed = std::make_shared<Program>(*program_);
    for (size_t i = 0; i < changed->steps.size(); ++i) take_over(changed->steps[i], fresh.steps[i]);
    changed->user_objects = fresh.user_objects;
    program_ = std::move(changed);
    return result;
}

GraphLaunchCommand::GraphLaunchCommand(const GraphExec& exec)
    : program_(exec.program()),
      launch_order_(exec.launch_order()),
      frees_first_(exec.frees_on_launch()),
      records_(std::make_shared<Records>()) {
    records_->made.resize(program_->order.size());
    records_->awaited.resize(program_->order.size());
    for (int pass = 0; pass < 2; ++pass) {
        // First the waits: they wait for recordings made before this launch, not for its own.
        hipGraphNodeType wanted = pass == 0 ? hipGraphNodeTypeWaitEvent : hipGraphNodeTypeEventRecord;
        for (size_t i = 0; i < program_->order.size(); ++i) {
            const Step& step = program_->steps[program_->order[i]];
            if (step.type != wanted) continue;
            hipEvent_t handle = pass == 0 ? static_cast<EventWaitCommand&>(*step.command).event()
                                          : static_cast<EventRecordCommand&>(*step.command).event();
            Event* event = Event::resolve(handle);
            if (!event) continue;
            if (pass == 0) {
                records_->awaited[i] = event->latest();
            } else {
                records_->made[i] = event->begin_record();
            }
        }
    }
}

bool GraphLaunchCommand::cheap() const {
    if (program_->order.size() > kCheapSteps) return false;
    return std::all_of(program_->steps.begin(), program_->steps.end(), [](const Step& step) {
        return !step.command || (step.type != hipGraphNodeTypeWaitEvent && step.command->cheap());
    });
}

hipError_t GraphLaunchCommand::run(Device& device) noexcept {
    // Launches of one instance do not overlap, whatever streams they are in.
    std::lock_guard<std::mutex> lock(*launch_order_);
    hipError_t result = hipSuccess;
    for (size_t i = 0; i < program_->order.size(); ++i) {
        const Step& step = program_->steps[program_->order[i]];
        hipError_t status = hipSuccess;
        if (step.type == hipGraphNodeTypeEventRecord) {
            // Even after an error: somebody may wait for it.
            records_->made[i].complete();
        } else if (result != hipSuccess || !step.enabled || !step.command) {
            continue;
        } else if (step.type == hipGraphNodeTypeWaitEvent) {
            if (records_->awaited[i]) records_->awaited[i]->wait();
        } else {
            if (frees_first_ && step.type == hipGraphNodeTypeMemAlloc) {
                GraphBlock& block = static_cast<GraphAllocCommand&>(*step.command).block();
                if (block.in_use()) block.end_use();
            }
            status = run_step(*step.command, device);
        }
        if (result == hipSuccess) result = status;
    }
    return result;
}

hipError_t check_graph_memory(const GraphExec& exec) {
    if (exec.frees_on_launch()) return hipSuccess;
    std::shared_ptr<const Program> program = exec.program();
    for (const Step& step : program->steps) {
        if (step.type != hipGraphNodeTypeMemAlloc) continue;
        GraphBlock& block = static_cast<GraphAllocCommand&>(*step.command).block();
        bool freed_here = std::any_of(program->steps.begin(), program->steps.end(), [&](const Step& other) {
            return other.type == hipGraphNodeTypeMemFree &&
                   static_cast<FreeCommand&>(*other.command).base() == block.base();
        });
        if (!freed_here && block.in_use()) return hipErrorInvalidValue;
    }
    return hipSuccess;
}

}  // namespace cuda_shim
