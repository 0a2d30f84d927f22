// Loops that may go round until other threads have done something: their end depends on a look at memory that others
// write.
//
// Rather too many than too few: a loop that is wrongly taken for one is only slower.
#pragma once
#include <set>
#include <vector>

#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {

class Polling {
public:
    explicit Polling(const CallGraph& calls);

    // Loops and labels that are jumped back to, and definitions of functions that call themselves: each of their rounds
    // is to be counted.
    const std::set<NodeIndex>& rounds() const { return rounds_; }
    // The code that a round repeats: a loop's or a function's body, or the label itself.
    NodeIndex repeated(NodeIndex round) const;
    // The first tokens of the bodies of functions that go such rounds, or call one that does.
    const std::set<size_t>& bodies() const { return bodies_; }

private:
    struct Loop;

    bool is_look(NodeIndex node) const;
    bool is_atomic_look(NodeIndex call, std::string_view name) const;
    bool is_shared_read(NodeIndex node) const;
    bool looks_within(NodeIndex node, bool fenced) const;
    bool polls(NodeIndex loop) const;
    bool is_retry(NodeIndex loop) const;
    bool calls_itself(NodeIndex definition) const;
    void find_looking_functions();
    void find_rounds();
    void find_loops_of_jumps(NodeIndex function);
    void find_polling_functions();

    const CallGraph& calls_;
    const SyntaxTree& tree_;
    std::set<NodeIndex> looking_functions_, rounds_;
    std::set<size_t> bodies_;
};

}  // namespace cuda_shim
