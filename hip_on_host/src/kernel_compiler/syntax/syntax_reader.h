// Builds a syntax tree from the compiler's JSON.
#pragma once
#include <string_view>

#include "kernel_compiler/syntax/json_reader.h"
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

class SyntaxReader {
public:
    SyntaxReader(SyntaxTree& tree, JsonReader& json) : tree_(tree), json_(json) {}
    void read();

private:
    struct Location {
        size_t offset = TokenStream::npos;
        bool in_main = false;
        bool by_macro = false;  // the place of a macro of the prelude that expanded into the located node
        bool valid() const { return offset != TokenStream::npos && in_main; }
    };

    void read_node(NodeIndex parent);
    void read_member(NodeIndex index, std::string_view key);
    void read_kind(SyntaxNode& node);
    void read_base(NodeIndex derived);
    void read_reference(SyntaxNode& node);
    void read_type(SyntaxNode& node);
    Location read_location();
    Range read_range();
    size_t token_at(size_t offset) const;

    SyntaxTree& tree_;
    JsonReader& json_;
    bool in_main_ = false;  // the file named last is the program's: later locations in it do not name it again
};

}  // namespace cuda_shim
