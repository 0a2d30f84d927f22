#include "kernel_compiler/split/warp_runs.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/split/divergent_loops.h"
#include "kernel_compiler/split/uniformity.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Limit of a run, which is compiled in two versions.
constexpr size_t kMaxRunTokens = 250;

class RunReader {
public:
    RunReader(const KernelBody& body, const Uniformity& uniformity)
        : body_(body), syntax_(body.syntax()), tree_(body.tree()), uniformity_(uniformity) {}

    // Is it a statement of the kernel's level in which threads meet, and only those of a warp?
    bool is_shuffling(const Statement& statement) const {
        return statement.split && statement.kind != Statement::If && statement.kind != Statement::Declare &&
               syntax_.waits(statement.range) && may_run_by_warp(statement);
    }
    // Is it free of meetings, jumps and declarations, so that a run may go on behind it?
    static bool is_between(const Statement& statement) {
        return (statement.kind == Statement::Expression && !statement.split) || statement.kind == Statement::Pragma;
    }
    bool has_fitting_variables(Range run) const {
        return std::all_of(body_.variables().begin(), body_.variables().end(),
                           [&](const Variable& variable) { return fits(variable, run); });
    }

private:
    bool may_run_by_warp(const Statement& statement) const {
        switch (statement.kind) {
            case Statement::Empty:
            case Statement::Pragma:
                return true;
            case Statement::Expression:
                return shuffles_alone(statement.range);
            case Statement::Declare:
                return statement.declaration->kind == Declaration::Variables && shuffles_alone(statement.range);
            case Statement::If:
                return !statement.split && !holds_jump(tree_, statement);
            case Statement::Compound:
                return all_may_run_by_warp(statement);
            case Statement::For:
            case Statement::While:
            case Statement::DoWhile:
                if (!statement.split) return !holds_jump(tree_, statement);
                // An interchanged loop has its own groups of threads.
                return syntax_.waits(statement.range) && !runs_under_lane_mask(statement, body_, uniformity_) &&
                       !syntax_.waits(statement.condition) && !syntax_.waits(statement.init) &&
                       uniformity_.has_uniform_header(statement) && !holds_jump(tree_, *statement.children[0]) &&
                       all_may_run_by_warp(*statement.children[0]);
            default:
                return false;
        }
    }
    bool all_may_run_by_warp(const Statement& enclosing) const {
        const std::vector<const Statement*> statements = enclosing.statements();
        return std::all_of(statements.begin(), statements.end(),
                           [&](const Statement* statement) { return may_run_by_warp(*statement); });
    }

    bool shuffles_alone(Range range) const {
        return syntax_.all_within(range, [&](NodeIndex node) {
            if (!syntax_.calls().waits(node)) return true;
            const bool names_function = tree_[node].kind == NodeKind::Reference;  // behind its cast to a pointer
            return is_uniform_shuffle(names_function ? tree_[tree_[node].parent].parent : node);
        });
    }
    bool is_uniform_shuffle(NodeIndex call) const {
        if (tree_[call].kind != NodeKind::Call) return false;
        const Callee callee = syntax_.calls().callee(call);
        if (!callee.of_prelude || !is_shuffle(callee.name) || shuffled_word(syntax_, call).empty()) return false;
        const std::vector<Range> arguments = written_arguments(tree_, call);
        for (size_t i = handed_over_argument(callee.name) + 1; i < arguments.size(); ++i)
            if (arguments[i].empty() || syntax_.waits(arguments[i]) || !uniformity_.is_known_to_block(arguments[i]))
                return false;
        return true;
    }

    // Can a warp have copies of its own of the variable's elements? A variable of the block that the run changes would
    // change once for every warp.
    static bool fits(const Variable& variable, Range run) {
        const auto is_within = [&](size_t token) { return run.holds(token); };
        if (std::none_of(variable.uses.begin(), variable.uses.end(), is_within)) return true;
        if (variable.kind == Variable::Fixed || variable.recomputed) return true;
        if (variable.varying) return variable.is_arithmetic() && !variable.is_array() && !variable.aliased;
        return run.holds(variable.declared_at) ||
               std::none_of(variable.writes.begin(), variable.writes.end(), is_within);
    }

    const KernelBody& body_;
    const FunctionSyntax& syntax_;
    const SyntaxTree& tree_;
    const Uniformity& uniformity_;
};

}  // namespace

bool is_shuffle(std::string_view function) { return starts_with(function, "__shfl"); }

size_t handed_over_argument(std::string_view function) { return ends_with(function, "_sync") ? 1 : 0; }

std::vector<Range> written_arguments(const SyntaxTree& tree, NodeIndex call) {
    std::vector<Range> arguments;
    for (NodeIndex child : tree.children(call))
        if (child != call + 1 && tree[child].kind != NodeKind::DefaultArgument) arguments.push_back(tree[child].tokens);
    return arguments;
}

std::string_view shuffled_word(const FunctionSyntax& syntax, NodeIndex call) {
    static constexpr std::array<std::string_view, 3> four_bytes = {"int", "unsigned int", "float"};
    static constexpr std::array<std::string_view, 5> eight_bytes = {"long", "unsigned long", "long long",
                                                                    "unsigned long long", "double"};
    const SyntaxTree& tree = syntax.tree();
    const size_t operand = handed_over_argument(syntax.calls().callee(call).name);
    const std::vector<Range> arguments = written_arguments(tree, call);
    if (operand >= arguments.size()) return "";
    std::string_view word;
    for (NodeIndex root : syntax.roots(arguments[operand])) {
        std::string_view type = tree[root].real_type();
        if (starts_with(type, "const ")) type.remove_prefix(6);
        const std::string_view own = one_of(type, four_bytes)    ? "cuda_shim_word32"
                                     : one_of(type, eight_bytes) ? "cuda_shim_word64"
                                                                 : "";
        if (own.empty() || (!word.empty() && own != word)) return "";
        word = own;
    }
    return word;
}

size_t warp_run_end(const std::vector<const Statement*>& list, size_t begin, const KernelBody& body,
                    const Uniformity& uniformity) {
    const RunReader reader(body, uniformity);
    size_t end = begin;
    for (size_t i = begin; i < list.size(); ++i) {
        if (reader.is_shuffling(*list[i]))
            end = i + 1;
        else if (i == begin || !RunReader::is_between(*list[i]))
            break;
    }
    // A shorter run may fit where this one does not.
    for (; end > begin; --end) {
        const Range run{list[begin]->range.begin, list[end - 1]->range.end};
        if (reader.is_shuffling(*list[end - 1]) && run.end - run.begin <= kMaxRunTokens &&
            reader.has_fitting_variables(run))
            break;
    }
    return end;
}

}  // namespace cuda_shim
