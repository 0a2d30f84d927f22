// Polling loops, which may iterate until another thread has done something: their end depends on memory that others
// write, as in `while (!flag) ;` with a volatile flag.
//
// The analysis errs on the safe side: a loop that is wrongly taken for a polling one is only slower.
#pragma once
#include <set>
#include <vector>

#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {

class PollingLoops {
public:
    explicit PollingLoops(const CallGraph& calls);

    // Loops, labels that are jumped back to, and definitions of recursive functions: their iterations are counted.
    const std::set<NodeIndex>& loops() const { return loops_; }
    // The code that an iteration repeats: the body of a loop or a function, or the label itself.
    NodeIndex body(NodeIndex loop) const;
    // The first tokens of the bodies of functions that poll, or call one that does.
    const std::set<size_t>& polling_bodies() const { return polling_bodies_; }

private:
    struct Loop;

    bool is_observation(NodeIndex node) const;
    bool is_atomic_observation(NodeIndex call, std::string_view name) const;
    bool is_shared_read(NodeIndex node) const;
    bool observes_within(NodeIndex node, bool fenced) const;
    bool polls(NodeIndex loop) const;
    bool is_retry(NodeIndex loop) const;
    bool is_recursive(NodeIndex definition) const;
    void find_observing_functions();
    void find_loops();
    void find_loops_of_jumps(NodeIndex function);
    void find_polling_functions();

    const CallGraph& calls_;
    const SyntaxTree& tree_;
    std::set<NodeIndex> observing_functions_, loops_;
    std::set<size_t> polling_bodies_;
};

}  // namespace cuda_shim
