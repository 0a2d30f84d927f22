// A program's syntax tree, as Clang prints it (-ast-dump=json), with its places turned into tokens of the program.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/syntax/node_kind.h"

namespace cuda_shim {

class JsonReader;

using NodeIndex = uint32_t;
constexpr NodeIndex kNoNode = static_cast<NodeIndex>(-1);

struct SyntaxNode {
    NodeKind kind = NodeKind::Other;
    NodeKind target_kind = NodeKind::Other;  // kind of the declaration that a Reference refers to
    bool constant = false;                   // `constexpr`, of a variable or an if
    bool is_static = false;                  // storage that is not the thread's own: static, extern, thread_local
    bool is_thread_local = false;            // declared __shared__ by the program
    bool is_virtual = false;
    bool implicit = false;                    // the program's text does not have it
    bool deleted = false, defaulted = false;  // a function declared so
    bool arrow = false;                       // a->b
    bool postfix = false;
    bool has_init = false, has_variable = false, has_else = false;  // the parts that a statement has
    bool initialised = false;
    bool extended = false;  // a MaterialiseTemporary that lasts as long as a variable that refers to it
    NodeIndex parent = kNoNode;
    NodeIndex end = 0;                      // behind its subtree, which follows it
    Range tokens;                           // empty where it is not in the program's own text
    size_t name_token = TokenStream::npos;  // of a declaration in the program's own text
    uint64_t id = 0;
    uint64_t target = 0;      // id of the declaration that a Reference or Member names
    uint64_t redeclares = 0;  // the id of the declaration before
    std::string_view name;    // the declared name, or the one that is referred to; the digits of an integer literal
    std::string_view symbol;  // of a function: its mangled name
    std::string_view type, canonical_type;
    std::string_view operation;  // an operator's sign, the kind of a cast ("LValueToRValue") or of an attribute

    bool is_dependent() const;
    bool is_function() const {
        return kind == NodeKind::Function || kind == NodeKind::Method || kind == NodeKind::Constructor ||
               kind == NodeKind::Destructor || kind == NodeKind::Conversion;
    }
    bool is_call() const {
        return kind == NodeKind::Call || kind == NodeKind::MethodCall || kind == NodeKind::OperatorCall;
    }
    // The type with its typedefs resolved.
    std::string_view real_type() const { return canonical_type.empty() ? type : canonical_type; }
    bool is_volatile() const { return real_type().find("volatile") != std::string_view::npos; }
};

class SyntaxTree {
public:
    // `json`: the compiler's output for the file `main_file`, which holds the source of `tokens`. Throws JsonError.
    SyntaxTree(JsonReader& json, const TokenStream& tokens, std::string main_file);
    SyntaxTree(const SyntaxTree&) = delete;
    SyntaxTree& operator=(const SyntaxTree&) = delete;

    const TokenStream& tokens() const { return tokens_; }
    NodeIndex size() const { return static_cast<NodeIndex>(nodes_.size()); }
    const SyntaxNode& operator[](NodeIndex index) const { return nodes_[index]; }
    std::vector<NodeIndex> children(NodeIndex index) const;
    NodeIndex child(NodeIndex index, size_t number) const;
    // The node behind parentheses and casts that the compiler adds without changing a value's object.
    NodeIndex without_parens(NodeIndex index) const;
    // The node behind parentheses and all implicit conversions.
    NodeIndex without_conversions(NodeIndex index) const;
    // Is the node itself assembly, an atomic operation of the language, or a read through a volatile lvalue?
    bool is_volatile_operation(NodeIndex index) const;
    // The function that the node is part of, or is; kNoNode outside of functions.
    NodeIndex function_around(NodeIndex node) const;

    // The node of the declaration; kNoNode for those of the prelude, which are not in the tree.
    NodeIndex declaration(uint64_t id) const;
    // The declaration of a function that has its body, whichever was referred to.
    NodeIndex definition(uint64_t id) const;
    // The body of a function, kNoNode where there is none.
    NodeIndex body(NodeIndex function) const;

private:
    friend class SyntaxReader;
    uint64_t first_declaration(uint64_t id) const;
    void index_declarations();
    // The text as long as the tree is there.
    std::string_view intern(std::string_view text);

    std::unordered_set<std::string_view> texts_;  // in blocks_
    std::vector<std::unique_ptr<char[]>> blocks_;
    size_t block_bytes_ = 0, block_room_ = 0;  // bytes of the last block, and those free at its end
    const TokenStream& tokens_;
    const std::string main_file_;
    std::vector<SyntaxNode> nodes_;
    std::unordered_map<uint64_t, NodeIndex> declarations_;
    std::unordered_map<uint64_t, NodeIndex> definitions_;  // by the id of the first declaration
};

}  // namespace cuda_shim
