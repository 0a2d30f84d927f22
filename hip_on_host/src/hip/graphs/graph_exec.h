// Instantiated graphs: the nodes' commands, copied, in an order that keeps every dependency.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "hip/graphs/graph_program.h"
#include "hip/streams/event.h"

namespace cuda_shim {

class GraphExec {
public:
    GraphExec(Graph& graph, unsigned long long flags);
    ~GraphExec();
    GraphExec(const GraphExec&) = delete;
    GraphExec& operator=(const GraphExec&) = delete;

    static GraphExec* resolve(hipGraphExec_t handle);
    hipGraphExec_t handle() { return reinterpret_cast<hipGraphExec_t>(this); }
    unsigned long long flags() const { return flags_; }
    bool frees_on_launch() const { return flags_ & hipGraphInstantiateFlagAutoFreeOnLaunch; }

    GraphProgramPtr program() const;
    std::shared_ptr<std::mutex> launch_order() const { return launch_order_; }

    // Gives the step made from `node` another command of the same type. hipErrorInvalidValue when there is none.
    hipError_t replace(const GraphNode& node, CommandPtr command);
    // Gives the steps made from a child node the commands of a graph of the same shape.
    hipError_t replace_child(const GraphNode& node, Graph& child);
    hipError_t set_enabled(const GraphNode& node, bool enabled);
    hipError_t get_enabled(const GraphNode& node, bool& enabled) const;
    // Takes over all commands of a graph of the same shape; otherwise returns the kind of difference, and the node that
    // has it.
    hipGraphExecUpdateResult update(Graph& graph, GraphNode*& culprit);

private:
    template <class Change>
    hipError_t change(const GraphNode& node, Change&& change);

    unsigned long long flags_;
    std::shared_ptr<void> instance_of_;
    std::shared_ptr<std::mutex> launch_order_ = std::make_shared<std::mutex>();
    mutable std::mutex mutex_;
    GraphProgramPtr program_;
};

// One launch of an instantiated graph.
class GraphLaunchCommand final : public Command {
public:
    explicit GraphLaunchCommand(const GraphExec& exec);
    hipError_t execute(Device& device) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeGraph; }
    CommandPtr clone() const override { return std::make_unique<GraphLaunchCommand>(*this); }
    bool cheap() const override;

private:
    // The first error of all steps, on whichever threads they run.
    using Result = std::atomic<hipError_t>;

    // Goes through all steps even after an error: threads may wait for the events that they record. Branches of steps
    // that take long run side by side.
    void run_steps(const GraphProgram& program, Device& device, Result& result);
    void run_any(const GraphStep& step, Device& device, Result& result);
    void run_conditional(const GraphStep& step, Device& device, Result& result);
    hipError_t run_command(const GraphStep& step, Device& device);

    GraphProgramPtr program_;
    std::shared_ptr<std::mutex> launch_order_;
    bool frees_first_;
    // Recordings that this launch makes and waits for; made when the launch was asked for, so that a wait for
    // the event afterwards waits for this launch.
    struct Records {
        std::map<const GraphStep*, PendingRecord> pending;
        std::map<const GraphStep*, std::shared_ptr<EventRecord>> awaited;
    };
    std::shared_ptr<Records> records_;
};

// hipErrorInvalidValue when the graph allocates memory that an earlier launch allocated and that was not freed.
hipError_t check_graph_memory(const GraphExec& exec);

}  // namespace cuda_shim
