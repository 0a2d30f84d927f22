#include "kernel_compiler/split/block_width.h"

#include <algorithm>

#include "kernel_compiler/split/affine_guards.h"
#include "kernel_compiler/split/uniformity.h"

namespace cuda_shim {
namespace {

constexpr unsigned int kMinWidth = 32, kMaxWidth = 1024;

bool is_shared(const KernelBody& body, const Variable& variable) {
    const TokenStream& tokens = body.tokens();
    for (size_t i = variable.declared_at; i > body.kernel().body_open; --i) {
        if (tokens.is(i, "__shared__")) return true;
        if (tokens.is(i, ";") || tokens.is(i, "{") || tokens.is(i, "}")) break;
    }
    return false;
}

// The number of an array's elements; 0 for other types, and for arrays of several dimensions.
unsigned int element_count(std::string_view type) {
    const size_t open = type.find('[');
    if (open == std::string_view::npos || type.find(']') + 1 != type.size()) return 0;
    unsigned int count = 0;
    for (const char digit : type.substr(open + 1, type.size() - open - 2)) {
        if (digit < '0' || digit > '9' || count > kMaxWidth) return 0;
        count = count * 10 + static_cast<unsigned int>(digit - '0');
    }
    return count;
}

}  // namespace

unsigned int expected_block_width(const KernelBody& body) {
    for (const Variable& variable : body.variables()) {
        if (variable.kind != Variable::Fixed || !is_shared(body, variable)) continue;
        const unsigned int count = element_count(variable.type);
        if (count >= kMinWidth && count <= kMaxWidth && count % kMinWidth == 0) return count;
    }
    return 0;
}

bool tests_threads(const KernelBody& body, const Uniformity& uniformity, const std::vector<Range>& ranges) {
    const SyntaxTree& tree = body.tree();
    const auto tests_thread = [&](NodeIndex node) {
        if (tree[node].kind != NodeKind::Conditional && tree[node].kind != NodeKind::If) return false;
        const Range condition = tree[tree.child(node, 0)].tokens;
        return !condition.empty() && !uniformity.is_uniform(condition) && uniformity.is_steady(condition) &&
               affine_guards(body, condition, false).has_value();
    };
    return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
        return !body.syntax().all_within(range, [&](NodeIndex node) { return !tests_thread(node); });
    });
}

}  // namespace cuda_shim
