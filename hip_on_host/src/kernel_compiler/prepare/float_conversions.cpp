#include "kernel_compiler/prepare/float_conversions.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr std::array<std::string_view, 6> kNarrow = {"char",  "signed char",    "unsigned char",
                                                     "short", "unsigned short", "char16_t"};
constexpr std::array<std::string_view, 8> kWide = {"int",       "unsigned int",       "long",     "unsigned long",
                                                   "long long", "unsigned long long", "char32_t", "wchar_t"};

class FloatConversions {
public:
    FloatConversions(const SyntaxTree& tree, const Compiler& compiler)
        : tree_(tree), tokens_(tree.tokens()), all_widths_(compiler.kind == Compiler::Gcc) {}

    std::string edited_text() {
        for (NodeIndex node = 0; node < tree_.size(); ++node) consider(node);
        if (types_.empty()) return "";
        TextEdits edits;
        for (const auto& [operand, type] : types_) {
            edits.insert(tokens_[operand.first].begin, concat({"cuda_shim_to_integer<", type, ">("}));
            edits.insert(tokens_[operand.second - 1].end, ")");
        }
        return edits.apply(tokens_.source());
    }

private:
    using Operand = std::pair<size_t, size_t>;

    void consider(NodeIndex index) {
        const SyntaxNode& node = tree_[index];
        if (node.operation != "FloatingToIntegral" || !is_converted_otherwise(node.real_type())) return;
        const Range operand = tree_[tree_.child(index, 0)].tokens;
        if (operand.empty() || operand.end > tokens_.size()) return;
        // In an instance of a template, a cast of no effect is around the conversion.
        const SyntaxNode& cast = node.kind == NodeKind::ImplicitCast ? tree_[node.parent] : node;
        const std::string type = cast.kind == NodeKind::ValueCast      ? type_in_cast(cast.tokens, operand)
                                 : node.kind == NodeKind::ImplicitCast ? type_of_implicit(index)
                                                                       : "";
        if (!type.empty()) types_.emplace(Operand{operand.begin, operand.end}, type);
    }

    bool is_converted_otherwise(std::string_view type) const {
        return one_of(type, kNarrow) || (all_widths_ && one_of(type, kWide));
    }

    // The type as the program has it, which may depend on a template's parameters: of (T)x, static_cast<T>(x), T(x).
    std::string type_in_cast(Range cast, Range operand) const {
        if (cast.empty() || operand.begin <= cast.begin) return "";
        size_t begin = cast.begin, end = operand.begin;
        if (tokens_.is(begin, "static_cast")) {
            begin += 2;
            while (end > begin && !tokens_.is(end, ">")) --end;
        } else if (tokens_.is(begin, "(")) {
            end = tokens_.closing(begin);
            ++begin;
        } else if (tokens_.is(end - 1, "(")) {
            --end;
        } else {
            return "";
        }
        if (end == TokenStream::npos || begin >= end || end > operand.begin) return "";
        return std::string(tokens_.source(), tokens_[begin].begin, tokens_[end - 1].end - tokens_[begin].begin);
    }

    // Empty in an instance of a template, whose text is that of all instances.
    std::string type_of_implicit(NodeIndex index) const {
        for (NodeIndex node = index; tree_[node].parent != kNoNode; node = tree_[node].parent) {
            const NodeIndex parent = tree_[node].parent;
            const NodeKind kind = tree_[parent].kind;
            if (kind != NodeKind::FunctionTemplate && kind != NodeKind::ClassTemplate) continue;
            for (const NodeIndex sibling : tree_.children(parent)) {
                if (tree_[sibling].kind != tree_[node].kind) continue;
                if (sibling != node) return "";  // the first one is the template itself
                break;
            }
        }
        return std::string(tree_[index].real_type());
    }

    const SyntaxTree& tree_;
    const TokenStream& tokens_;
    const bool all_widths_;
    std::map<Operand, std::string> types_;
};

}  // namespace

std::string with_float_conversions(const SyntaxTree& tree, const Compiler& compiler) {
    return FloatConversions(tree, compiler).edited_text();
}

}  // namespace cuda_shim
