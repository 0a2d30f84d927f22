#include "hip/graphs/graph_exec.h"

#include <algorithm>

#include "engine/running_kernels.h"
#include "hip/activity.h"
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph_branches.h"
#include "hip/graphs/graph_memory.h"
#include "hip/handle_table.h"
#include "hip/memory/copy.h"
#include "hip/memory/fill.h"
#include "hip/streams/event.h"

namespace cuda_shim {
namespace {

constexpr size_t kCheapSteps = 4;

// True if the rows, in memory that HIP gave out, are still there.
bool lives(const char* start, size_t row, size_t height, size_t pitch, size_t depth, size_t slice) {
    Allocation allocation;
    if (row == 0 || height == 0 || depth == 0) return true;
    if (!MemoryRegistry::get().find(start, allocation)) return false;
    return allocation.kind == MemoryKind::Virtual ||  // virtual memory is mapped in pieces
           allocation.contains(start, (depth - 1) * slice + (height - 1) * pitch + row);
}

// The memory may have been freed since the node was made. A kernel's fault is caught, that of a copy would end the
// process.
bool memory_lives(const Command& command) {
    if (command.node_type() == hipGraphNodeTypeMemset) {
        const FillRegion& to = static_cast<const FillCommand&>(command).region();
        return lives(to.dst, to.row_bytes(), to.height, to.pitch, to.depth, to.slice);
    }
    if (command.node_type() != hipGraphNodeTypeMemcpy) return true;
    const CopyPlan& plan = static_cast<const CopyCommand&>(command).plan();
    const CopyRegion& region = plan.region;
    return (plan.dst == Place::Pageable ||
            lives(region.dst, region.width, region.height, region.dst_pitch, region.depth, region.dst_slice)) &&
           (plan.src == Place::Pageable ||
            lives(region.src, region.width, region.height, region.src_pitch, region.depth, region.src_slice));
}

GraphNode* find_node(const Graph& graph, unsigned long long id) {
    for (const auto& node : graph.nodes()) {
        if (node->id() == id) return node.get();
        GraphNode* inner = nullptr;
        if (auto* child = dynamic_cast<const ChildGraphCommand*>(&node->command())) {
            inner = find_node(child->graph(), id);
        } else if (auto* conditional = dynamic_cast<const ConditionalCommand*>(&node->command())) {
            for (const auto& body : conditional->bodies())
                if (!inner) inner = find_node(*body, id);
        }
        if (inner) return inner;
    }
    return nullptr;
}

bool is_event_step(const GraphStep& step) {
    return step.type == hipGraphNodeTypeWaitEvent || step.type == hipGraphNodeTypeEventRecord;
}

// The first one counts.
void note_error(std::atomic<hipError_t>& result, hipError_t error) {
    hipError_t none = hipSuccess;
    if (error != hipSuccess) result.compare_exchange_strong(none, error);
}

bool can_be_disabled(hipGraphNodeType type) {
    return type == hipGraphNodeTypeKernel || type == hipGraphNodeTypeMemcpy || type == hipGraphNodeTypeMemset;
}

}  // namespace

GraphExec::GraphExec(Graph& graph, unsigned long long flags)
    : flags_(flags), instance_of_(graph.instance_token()), program_(make_program(graph)) {
    live_handles<GraphExec>().add(this);
}

GraphExec::~GraphExec() { live_handles<GraphExec>().remove(this); }

GraphExec* GraphExec::resolve(hipGraphExec_t handle) {
    auto* exec = reinterpret_cast<GraphExec*>(handle);
    return live_handles<GraphExec>().contains(exec) ? exec : nullptr;
}

GraphProgramPtr GraphExec::program() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return program_;
}

template <class Change>
hipError_t GraphExec::change(const GraphNode& node, Change&& change) {
    GraphProgramPtr new_program;  // outlives the lock: the old steps may call functions of the user as they end
    std::lock_guard<std::mutex> lock(mutex_);
    CUDA_SHIM_TRY(change_step(*program_, node.id(), new_program, change));
    program_.swap(new_program);
    return hipSuccess;
}

hipError_t GraphExec::replace(const GraphNode& node, CommandPtr command) {
    if (auto* child = dynamic_cast<const ChildGraphCommand*>(command.get())) return replace_child(node, child->graph());
    return change(node, [&](GraphStep& step) {
        if (!step.command || step.type != command->node_type()) return hipErrorInvalidValue;
        if (step.command->may_become(*command) != hipGraphExecUpdateSuccess) return hipErrorInvalidValue;
        step.command = std::move(command);
        return hipSuccess;
    });
}

hipError_t GraphExec::replace_child(const GraphNode& node, Graph& child) {
    return change(node, [&](GraphStep& step) {
        if (step.type != hipGraphNodeTypeGraph || step.command) return hipErrorInvalidValue;  // no child graph
        const GraphProgramPtr before = step.graphs.front();
        unsigned long long culprit = 0;
        return merge_programs(*before, *make_program(child), step.graphs.front(), culprit) == hipGraphExecUpdateSuccess
                   ? hipSuccess
                   : hipErrorGraphExecUpdateFailure;
    });
}

hipError_t GraphExec::set_enabled(const GraphNode& node, bool enabled) {
    return change(node, [&](GraphStep& step) {
        if (!can_be_disabled(step.type)) return hipErrorInvalidValue;
        step.enabled = enabled;
        return hipSuccess;
    });
}

hipError_t GraphExec::get_enabled(const GraphNode& node, bool& enabled) const {
    const GraphProgramPtr current = program();
    const GraphStep* step = find_step(*current, node.id());
    if (!step || !can_be_disabled(step->type)) return hipErrorInvalidValue;
    enabled = step->enabled;
    return hipSuccess;
}

hipGraphExecUpdateResult GraphExec::update(Graph& graph, GraphNode*& culprit) {
    const GraphProgramPtr fresh = make_program(graph);
    GraphProgramPtr merged;
    std::lock_guard<std::mutex> lock(mutex_);
    unsigned long long at_fault = 0;
    hipGraphExecUpdateResult result = merge_programs(*program_, *fresh, merged, at_fault);
    culprit = at_fault ? find_node(graph, at_fault) : nullptr;
    if (result == hipGraphExecUpdateSuccess) program_.swap(merged);
    return result;
}

GraphLaunchCommand::GraphLaunchCommand(const GraphExec& exec)
    : program_(exec.program()), launch_order_(exec.launch_order()), frees_first_(exec.frees_on_launch()) {
    bool any = false;
    for_each_step(*program_, [&](const GraphStep& step) { any |= is_event_step(step); });
    if (!any) return;
    records_ = std::make_shared<Records>();
    // First the waits: they wait for recordings made before this launch, not for its own.
    for_each_step(*program_, [&](const GraphStep& step) {
        if (step.type != hipGraphNodeTypeWaitEvent) return;
        Event* event = Event::resolve(static_cast<EventWaitCommand&>(*step.command).event());
        std::shared_ptr<EventRecord> latest = event ? event->latest() : nullptr;  // none before the first recording
        if (latest) records_->awaited[&step] = std::move(latest);
    });
    for_each_step(*program_, [&](const GraphStep& step) {
        if (step.type != hipGraphNodeTypeEventRecord) return;
        Event* event = Event::resolve(static_cast<EventRecordCommand&>(*step.command).event());
        if (event) records_->pending[&step] = event->begin_record();
    });
}

bool GraphLaunchCommand::cheap() const {
    if (program_->steps.size() > kCheapSteps) return false;
    size_t steps = 0;
    bool all_cheap = true;
    for_each_step(*program_, [&](const GraphStep& step) {
        ++steps;
        if (step.condition || step.type == hipGraphNodeTypeWaitEvent) all_cheap = false;
        if (step.command && !step.command->cheap()) all_cheap = false;
    });
    return all_cheap && steps <= kCheapSteps;
}

hipError_t GraphLaunchCommand::execute(Device& device) {
    // Launches of one instance do not overlap, even in different streams.
    std::lock_guard<std::mutex> lock(*launch_order_);
    Result result{hipSuccess};
    if (program_->conditions.all.empty()) {
        run_steps(*program_, device, result);
        return result;
    }
    std::lock_guard<std::mutex> conditions_lock(*program_->conditions.launches);
    for (const auto& condition : program_->conditions.all) condition->begin_launch();
    run_steps(*program_, device, result);
    return result;
}

void GraphLaunchCommand::run_steps(const GraphProgram& program, Device& device, Result& result) {
    const std::function<void(size_t)> run = [&](size_t at) { run_any(program.steps[at], device, result); };
    if (may_run_branches(program) && run_branches(program, run)) return;
    for (size_t at : program.order) run(at);
}

void GraphLaunchCommand::run_any(const GraphStep& step, Device& device, Result& result) {
    if (step.type == hipGraphNodeTypeEventRecord) {
        const auto pending = records_->pending.find(&step);
        if (pending != records_->pending.end()) pending->second.complete();
    } else if (step.condition) {
        run_conditional(step, device, result);
    } else if (!step.graphs.empty()) {
        run_steps(*step.graphs.front(), device, result);
    } else if (result == hipSuccess && step.enabled) {
        note_error(result, run_command(step, device));
    }
}

void GraphLaunchCommand::run_conditional(const GraphStep& step, Device& device, Result& result) {
    RunningLoop loop(device.ordinal());
    while (result == hipSuccess) {
        const size_t body = chosen_body(step.conditional, step.condition->value(), step.graphs.size());
        if (body == kNoBody) return;
        run_steps(*step.graphs[body], device, result);
        if (step.conditional != ConditionalType::While) return;
        if (loop.stopped()) note_error(result, hipErrorLaunchFailure);
    }
}

hipError_t GraphLaunchCommand::run_command(const GraphStep& step, Device& device) {
    if (step.type == hipGraphNodeTypeWaitEvent) {
        const auto awaited = records_->awaited.find(&step);
        if (awaited != records_->awaited.end()) awaited->second->wait();
        return hipSuccess;
    }
    if (frees_first_ && step.type == hipGraphNodeTypeMemAlloc) {
        GraphBlock& block = static_cast<GraphAllocCommand&>(*step.command).block();
        if (block.in_use()) block.end_use();
    }
    if (!memory_lives(*step.command)) return hipErrorIllegalAddress;
    return run_step(*step.command, device);
}

hipError_t check_graph_memory(const GraphExec& exec) {
    if (exec.frees_on_launch()) return hipSuccess;
    const GraphProgramPtr program = exec.program();
    for (const GraphStep& step : program->steps) {
        if (step.type != hipGraphNodeTypeMemAlloc) continue;
        GraphBlock& block = static_cast<GraphAllocCommand&>(*step.command).block();
        bool freed_here = std::any_of(program->steps.begin(), program->steps.end(), [&](const GraphStep& other) {
            return other.type == hipGraphNodeTypeMemFree &&
                   static_cast<FreeCommand&>(*other.command).base() == block.base();
        });
        if (!freed_here && block.in_use()) return hipErrorInvalidValue;
    }
    return hipSuccess;
}

}  // namespace cuda_shim
