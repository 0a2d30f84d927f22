#include "kernel_compiler/syntax/syntax_reader.h"

#include "kernel_compiler/build/process.h"

namespace cuda_shim {
namespace {

constexpr NodeIndex kNodesBetweenLooks = 4096;                       // at whether the program was interrupted
constexpr std::string_view kPreludeEnds = "cuda_shim_prelude_ends";  // declared by prelude/ast_pass.h
constexpr NodeIndex kRoot = 0;

uint64_t to_id(std::string_view text) {
    uint64_t id = 0;
    for (char c : text.substr(2)) id = id * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    return id;
}

}  // namespace

void SyntaxReader::read() { read_node(kNoNode); }

void SyntaxReader::read_node(NodeIndex parent) {
    const NodeIndex index = tree_.size();
    if (index % kNodesBetweenLooks == 0) stop_if_interrupted();
    tree_.nodes_.emplace_back();
    tree_.nodes_[index].parent = parent;
    tree_.nodes_[index].kind = NodeKind::Absent;
    json_.object([&](std::string_view key) { read_member(index, key); });
    // Functions of the prelude are known by their names: their definitions are no part of the program.
    if (parent == kRoot && tree_.nodes_[index].name == kPreludeEnds) return tree_.nodes_.resize(kRoot + 1);
    tree_.nodes_[index].end = tree_.size();
}

void SyntaxReader::read_member(NodeIndex index, std::string_view key) {
    // Children move the nodes: no reference may live across them.
    if (key == "inner") return json_.array([&] { read_node(index); });
    if (key == "bases") return json_.array([&] { read_base(index); });
    SyntaxNode& node = tree_.nodes_[index];
    if (key == "id")
        node.id = to_id(json_.string());
    else if (key == "kind")
        read_kind(node);
    else if (key == "loc") {
        const Location location = read_location();
        if (location.valid()) node.name_token = token_at(location.offset);
    } else if (key == "range")
        node.tokens = read_range();
    else if (key == "name")
        node.name = tree_.intern(json_.string());
    else if (key == "mangledName" && node.is_function())
        node.symbol = tree_.intern(json_.string());
    else if (key == "value" && node.kind == NodeKind::Literal)
        node.name = tree_.intern(json_.scalar());
    else if (key == "type")
        read_type(node);
    else if (key == "opcode" || key == "castKind")
        node.operation = tree_.intern(json_.string());
    else if (key == "referencedDecl")
        read_reference(node);
    else if (key == "referencedMemberDecl")
        node.target = to_id(json_.string());
    else if (key == "previousDecl")
        node.redeclares = to_id(json_.string());
    else if (key == "storageClass")
        node.is_static = json_.string() != "register";
    else if (key == "tls")
        node.is_static = node.is_thread_local = true, json_.skip();
    else if (key == "init")
        node.initialised = true, json_.skip();
    else if (key == "constexpr" || key == "isConstexpr")
        node.constant = json_.boolean();
    else if (key == "extendingDecl")
        node.extended = true, json_.skip();
    else if (key == "virtual")
        node.is_virtual = json_.boolean();
    else if (key == "isImplicit")
        node.implicit = json_.boolean();
    else if (key == "explicitlyDeleted")
        node.deleted = json_.boolean();
    else if (key == "explicitlyDefaulted")
        node.defaulted = true, json_.skip();
    else if (key == "isArrow")
        node.arrow = json_.boolean();
    else if (key == "isPostfix")
        node.postfix = json_.boolean();
    else if (key == "hasInit")
        node.has_init = json_.boolean();
    else if (key == "hasVar")
        node.has_variable = json_.boolean();
    else if (key == "hasElse")
        node.has_else = json_.boolean();
    else
        json_.skip();
}

void SyntaxReader::read_kind(SyntaxNode& node) {
    const std::string_view kind = json_.string();
    node.kind = node_kind(kind);
    if (node.kind == NodeKind::Attribute) node.operation = tree_.intern(kind);
}

void SyntaxReader::read_base(NodeIndex derived) {
    const NodeIndex index = tree_.size();
    tree_.nodes_.emplace_back();
    SyntaxNode& node = tree_.nodes_[index];
    node.kind = NodeKind::Base;
    node.parent = derived;
    node.end = index + 1;
    json_.object([&](std::string_view key) {
        if (key == "type")
            read_type(node);
        else
            json_.skip();
    });
}

void SyntaxReader::read_reference(SyntaxNode& node) {
    json_.object([&](std::string_view key) {
        if (key == "id")
            node.target = to_id(json_.string());
        else if (key == "kind")
            node.target_kind = node_kind(json_.string());
        else if (key == "name")
            node.name = tree_.intern(json_.string());
        else
            json_.skip();
    });
}

void SyntaxReader::read_type(SyntaxNode& node) {
    json_.object([&](std::string_view key) {
        if (key == "qualType")
            node.type = tree_.intern(json_.string());
        else if (key == "desugaredQualType")
            node.canonical_type = tree_.intern(json_.string());
        else
            json_.skip();
    });
}

SyntaxReader::Location SyntaxReader::read_location() {
    Location location, spelling, expansion;
    bool plain = false;
    json_.object([&](std::string_view key) {
        if (key == "offset")
            location.offset = json_.number(), plain = true;
        else if (key == "file")
            in_main_ = json_.string() == tree_.main_file_;
        else if (key == "spellingLoc")
            spelling = read_location();
        else if (key == "expansionLoc")
            expansion = read_location();
        else
            json_.skip();
    });
    if (plain) {
        location.in_main = in_main_;
        return location;
    }
    // An argument of a macro stands in the program itself.
    if (spelling.valid()) return spelling;
    expansion.by_macro = true;
    return expansion;
}

Range SyntaxReader::read_range() {
    Location begin, end;
    json_.object([&](std::string_view key) {
        if (key == "begin")
            begin = read_location();
        else if (key == "end")
            end = read_location();
        else
            json_.skip();
    });
    if (!begin.valid() || !end.valid()) return {};
    const TokenStream& tokens = tree_.tokens_;
    const size_t first = token_at(begin.offset);
    size_t last = token_at(end.offset);
    if (first == TokenStream::npos || last == TokenStream::npos || last < first) return {};
    // A macro with arguments ends where they do.
    if (end.by_macro && tokens.is(last + 1, "(")) last = tokens.closing(last + 1);
    return {first, last + 1};
}

size_t SyntaxReader::token_at(size_t offset) const {
    const TokenStream& tokens = tree_.tokens_;
    size_t low = 0, high = tokens.size();
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (tokens[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tokens.size() && tokens[low].begin <= offset ? low : TokenStream::npos;
}

}  // namespace cuda_shim
