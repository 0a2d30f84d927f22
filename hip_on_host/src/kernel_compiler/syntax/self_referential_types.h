// Classes whose objects may know their own address: one that is built somewhere else and copied by its bytes would
// point to where it was built, and one that ends with a region of code may still be reached through that address.
#pragma once
#include <set>
#include <string_view>

#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

class CallGraph;

class SelfReferentialTypes {
public:
    SelfReferentialTypes() = default;  // no class is one
    explicit SelfReferentialTypes(const CallGraph& calls);

    // May making an object of the type hand on the object's address, or that of a part?
    bool contains(std::string_view type) const;

private:
    void find_constructors(const CallGraph& calls);
    void find_holders(const SyntaxTree& tree);

    std::set<std::string_view> classes_;  // and other names of them
    bool unnamed_ = false;                // a class without a name is one
};

}  // namespace cuda_shim
