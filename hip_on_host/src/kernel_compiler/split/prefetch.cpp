#include "kernel_compiler/split/prefetch.h"

#include <algorithm>
#include <map>
#include <string>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

class AccessReader {
public:
    AccessReader(const KernelBody& body, const Uniformity& uniformity, const std::vector<Range>& ranges,
                 const Variable* counter)
        : body_(body), tree_(body.tree()), uniformity_(uniformity), ranges_(ranges), counter_(counter) {}

    std::vector<PrefetchedAccess> read() {
        for (const Range& range : ranges_)
            body_.syntax().for_each_within(range, [&](NodeIndex node) {
                if (tree_[node].kind == NodeKind::Subscript) judge(node);
            });
        std::vector<PrefetchedAccess> accesses;
        std::vector<std::string> texts;
        for (const auto& [begin, verdict] : verdicts_) {
            if (!verdict.fits || accesses.size() == kMaxPrefetchedAccesses) continue;
            const Range place = verdict.access.place;
            std::string text = body_.tokens().slice(place.begin, place.end);
            if (std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
            texts.push_back(std::move(text));
            accesses.push_back(verdict.access);
        }
        return accesses;
    }

private:
    struct Verdict {
        PrefetchedAccess access;
        bool fits = true;
    };

    // In every instance of a template it has to be so.
    void judge(NodeIndex node) {
        const Range place = tree_[node].tokens;
        if (place.empty()) return;
        Verdict& verdict = verdicts_.emplace(place.begin, Verdict{{place, false}, true}).first->second;
        const NodeIndex base = tree_.child(node, 0), index = tree_.child(node, 1);
        const bool assigned = is_assigned(node);
        verdict.access.written = verdict.access.written || assigned;
        verdict.fits = verdict.fits && verdict.access.place.end == place.end && (assigned || is_read(node)) &&
                       is_parameter(base) && is_computable(index) && names_thread(index) && moves(index);
    }

    bool is_assigned(NodeIndex node) const {
        const NodeIndex parent = tree_[node].parent;
        const bool assigns = (tree_[parent].kind == NodeKind::Binary && tree_[parent].operation == "=") ||
                             tree_[parent].kind == NodeKind::CompoundAssign;
        return assigns && tree_.child(parent, 0) == node;
    }
    bool is_read(NodeIndex node) const {
        const SyntaxNode& parent = tree_[tree_[node].parent];
        return parent.kind == NodeKind::ImplicitCast && parent.operation == "LValueToRValue";
    }

    // A pointer of the launch's that the kernel does not change.
    bool is_parameter(NodeIndex base) const {
        base = tree_.without_conversions(base);
        if (tree_[base].kind != NodeKind::Reference || tree_[base].real_type().find('*') == std::string_view::npos)
            return false;
        const Variable* variable = body_.variable_of(base);
        return variable && variable->kind == Variable::Parameter && !variable->varying && variable->writes.empty();
    }

    // Can the index be computed before the region? Variables that the region itself declares are not visible there.
    bool is_computable(NodeIndex index) const {
        const Range tokens = tree_[index].tokens;
        return uniformity_.is_steady(tokens) && body_.syntax().all_within(tokens, [&](NodeIndex node) {
            const Variable* variable = tree_[node].kind == NodeKind::Reference ? body_.variable_of(node) : nullptr;
            return !variable || variable->recomputed || std::none_of(ranges_.begin(), ranges_.end(), [&](Range range) {
                return range.holds(variable->declared_at);
            });
        });
    }

    bool names_thread(NodeIndex index) const {
        return any_operand(index, [&](NodeIndex node) { return tree_[node].name == "cuda_shim_thread_index"; });
    }
    // Does the value change with the block's index, or with the loop's variable?
    bool moves(NodeIndex index) const {
        return any_operand(index, [&](NodeIndex node) {
            return counter_ ? tree_[node].kind == NodeKind::Reference && body_.variable_of(node) == counter_
                            : tree_[node].name == "cuda_shim_block_index";
        });
    }
    // Does the predicate hold for a node of the expression, or of one that its variables are computed from?
    template <class Predicate>
    bool any_operand(NodeIndex expression, const Predicate& predicate) const {
        for (NodeIndex i = expression; i < tree_[expression].end; ++i) {
            if (predicate(i)) return true;
            const Variable* variable = tree_[i].kind == NodeKind::Reference ? body_.variable_of(i) : nullptr;
            if (!variable || !variable->recomputed) continue;
            for (NodeIndex root : body_.syntax().roots(variable->initial()))
                if (any_operand(root, predicate)) return true;
        }
        return false;
    }

    const KernelBody& body_;
    const SyntaxTree& tree_;
    const Uniformity& uniformity_;
    const std::vector<Range>& ranges_;
    const Variable* counter_;
    std::map<size_t, Verdict> verdicts_;  // by the first token of the place
};

}  // namespace

std::vector<PrefetchedAccess> find_prefetched_accesses(const KernelBody& body, const Uniformity& uniformity,
                                                       const std::vector<Range>& ranges, const Variable* counter) {
    return AccessReader(body, uniformity, ranges, counter).read();
}

}  // namespace cuda_shim
