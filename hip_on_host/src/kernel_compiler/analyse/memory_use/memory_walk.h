// Follows a kernel as if all its functions were inlined and its short loops unrolled, as CUDA's compilers do, and notes
// how it uses its variables.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel_compiler/analyse/memory_use/constants.h"
#include "kernel_compiler/analyse/memory_use/stack_frame.h"

namespace cuda_shim {

struct KernelMemory {
    std::shared_ptr<const StackFrame> stack;
    SharedMemory shared;
};

class MemoryWalk {
public:
    explicit MemoryWalk(const CallGraph& calls);
    // `kernel`: the definition.
    KernelMemory walk(NodeIndex kernel);

private:
    // A part of a variable, or a pointer to one.
    struct Place {
        VariableUse* variable = nullptr;
        bool indexed = false;     // the part is not known when the kernel is compiled
        bool is_pointer = false;  // a variable that points to the part, and not the part
        uint64_t pointer = 0;     // the id of that variable
    };
    // An inlined call, or the function that the walk began with.
    struct Call {
        Call* caller = nullptr;
        NodeIndex function = kNoNode;
        ParameterValues parameters;
        std::unordered_map<uint64_t, Place> places;  // pointers, references and variables, by id
        Place object, result;
    };

    std::shared_ptr<StackFrame> walk_frame(NodeIndex function);
    Place visit(NodeIndex node);
    void visit_children(NodeIndex node, size_t first = 0);
    Place visit_through(NodeIndex node);
    Place visit_reference(const SyntaxNode& node);
    Place visit_cast(NodeIndex node);
    Place visit_unary(NodeIndex node);
    Place visit_binary(NodeIndex node);
    Place visit_subscript(NodeIndex node);
    Place visit_choice(NodeIndex node);
    Place visit_construct(NodeIndex node, Place constructed);
    Place visit_call(NodeIndex node);
    void visit_loop(NodeIndex node);
    void visit_if(NodeIndex node);
    void visit_block(NodeIndex node);
    void declare(NodeIndex variable);
    void copy(Place to, Place from, NodeIndex access);
    Place call_inlined(NodeIndex function, Place object, const std::vector<NodeIndex>& arguments);
    void call_apart(NodeIndex function);
    void call_library(std::string_view name, const std::vector<NodeIndex>& arguments);
    void call_anything();
    void reserve_print_buffer(const std::vector<NodeIndex>& arguments);

    // `access`: an expression of the type that is read or written.
    void read(const Place& place, NodeIndex access);
    void write(const Place& place, NodeIndex access);
    void note(const Place& place, NodeIndex access, uint64_t VariableUse::* indexed);
    static void escape(const Place& place);
    Place find(uint64_t id) const;
    VariableUse& add_local(NodeIndex declaration);
    bool has_words_alone(std::string_view type, unsigned depth = 0) const;
    bool is_inlined(NodeIndex function) const;
    bool is_running(NodeIndex function) const;
    std::vector<NodeIndex> parameters_of(NodeIndex function) const;
    NodeIndex constructor_for(NodeIndex construct) const;
    void find_address_taken_functions();

    const CallGraph& calls_;
    const SyntaxTree& tree_;
    ConstantEvaluator constants_;
    std::unordered_map<std::string_view, NodeIndex> records_;                    // complete classes, by name
    std::unordered_map<std::string_view, std::vector<NodeIndex>> constructors_;  // definitions, by name
    std::set<NodeIndex> reachable_by_address_;  // definitions that a call of an unknown function may run
    std::map<NodeIndex, std::shared_ptr<const StackFrame>> frames_;  // of functions called in this kernel
    SharedMemory shared_;
    Call* call_ = nullptr;
    StackScope* scope_ = nullptr;
    StackFrame* frame_ = nullptr;
    uint64_t copies_ = 1;  // unrolled loops make these copies of the code at hand
    unsigned loops_ = 0;   // loops around it that are not unrolled
    unsigned depth_ = 0;   // calls around it
    uint64_t steps_ = 0;   // nodes visited for this kernel
};

}  // namespace cuda_shim
