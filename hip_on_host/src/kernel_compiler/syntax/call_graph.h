// The call graph of a program, and the calls in which threads may wait for each other.
#pragma once
#include <set>
#include <string_view>
#include <vector>

#include "kernel_compiler/syntax/self_referential_types.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// The function that a call runs.
struct Callee {
    NodeIndex definition = kNoNode;  // the program's own definition of it
    std::string_view name;           // empty when it cannot be known: a function pointer, a virtual method
    bool of_prelude = false;         // one of CUDA's own functions
};

class CallGraph {
public:
    explicit CallGraph(const SyntaxTree& tree);

    const SyntaxTree& tree() const { return tree_; }
    // `call`: a Call, MethodCall or OperatorCall.
    Callee callee(NodeIndex call) const;
    // Does the node itself, without its subtree, wait for other threads, or might it?
    bool waits(NodeIndex node) const { return waiting_.count(node) != 0; }
    // Is it a call of a function that cannot be known, which might do anything?
    bool is_open(NodeIndex node) const { return open_.count(node) != 0; }
    // May the node be part of polling: does it look at memory that other threads change, or give way to them? A loop
    // around it may iterate until one of them has done something.
    bool may_poll(NodeIndex node) const;
    // Does anything below the node wait?
    bool waits_within(NodeIndex node) const;
    bool is_open_within(NodeIndex node) const;
    // Do the calls that the function's body makes, or those of functions that it calls, wait?
    bool function_waits(NodeIndex definition) const { return waiting_functions_.count(definition) != 0; }

    // The objects that may know their own address.
    const SelfReferentialTypes& self_referential_types() const { return self_referential_types_; }

private:
    void find_open_calls();
    void find_waiting_calls();
    void find_polling_functions();
    bool runs_special_member(const SyntaxNode& node) const;
    bool is_programs_own(uint64_t declaration) const;

    const SyntaxTree& tree_;
    std::set<NodeIndex> waiting_, open_, waiting_functions_, polling_functions_;
    SelfReferentialTypes self_referential_types_;
    bool special_members_wait_ = false;  // constructors and destructors, which no node names
};

// Is this one of CUDA's or HIP's own ways of waiting for, or exchanging with, other threads?
bool is_synchronising_word(std::string_view word);

}  // namespace cuda_shim
