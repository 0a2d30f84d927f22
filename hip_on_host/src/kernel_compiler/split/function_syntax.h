// One function of the program in the syntax tree: the nodes of its body by the tokens that they stand at.
//
// A template's text is there several times: once with its parameters open, and once for each of its instantiations. A
// question about its text is put to all instantiations, and its answer is yes when it is yes for each.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "kernel_compiler/split/not_split.h"
#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {

class FunctionSyntax {
public:
    // `body_open`: the brace that opens its body. Throws NotSplit where the tree has no such function.
    FunctionSyntax(const CallGraph& calls, size_t body_open);

    const SyntaxTree& tree() const { return calls_.tree(); }
    const CallGraph& calls() const { return calls_; }
    const TokenStream& tokens() const { return tree().tokens(); }
    // The function whose statements are all there: of a template, the one with its parameters open.
    NodeIndex structure() const { return structure_; }
    NodeIndex structure_body() const { return tree().body(structure_); }
    const std::vector<NodeIndex>& instances() const { return instances_; }
    // The parameters' nodes, of the structure.
    std::vector<NodeIndex> parameters() const;
    // Is it a reference, of any instance?
    bool is_reference(NodeIndex parameter) const;

    // Calls read(node) for the nodes of all instances that lie within the range.
    template <class Visit>
    void for_each_within(Range range, const Visit& visit) const {
        for (size_t i = range.begin; i < range.end; ++i)
            for (auto entry = at_token_.lower_bound(i); entry != at_token_.end() && entry->first == i; ++entry)
                if (tree()[entry->second].tokens.end <= range.end) visit(entry->second);
    }
    template <class Predicate>
    bool all_within(Range range, const Predicate& predicate) const {
        bool all = true;
        for_each_within(range, [&](NodeIndex node) { all = all && predicate(node); });
        return all;
    }
    // The nodes that are the whole expression in the range, one for each instance; none where the range is something
    // else than an expression.
    std::vector<NodeIndex> roots(Range range) const;
    // May the code in the range wait for other threads?
    bool waits(Range range) const;
    // The operands of comma operators in a range; the commas between arguments are no operators.
    std::vector<Range> comma_parts(Range range) const;
    // Has the program's text a declaration of this name in the function, its parameters included?
    size_t declarations_of(std::string_view name) const;

    // Does the reference name a constant of the program's: constexpr, a const number with its value, an enumerator?
    bool names_constant(NodeIndex reference) const;
    // The token that names the variable to which a reference refers, where that is one of the function; else npos.
    size_t variable_of(NodeIndex reference) const;

private:
    void find_instances(size_t body_open);
    void collect_comma_parts(NodeIndex node, std::vector<Range>& parts) const;

    const CallGraph& calls_;
    NodeIndex structure_ = kNoNode;
    std::vector<NodeIndex> instances_;
    std::multimap<size_t, NodeIndex> at_token_;  // by the first token
    std::map<std::string_view, size_t> declaration_counts_;
};

}  // namespace cuda_shim
