// Warp operations and voting barriers. Every thread writes its operand in one loop and reads the others' in the next:
//
//   before: v += __shfl_down_sync(mask, v, 1);
//   after:  for each thread t: lanes[t] = v[t];
//           for each thread t: v[t] += lanes[lane 1 further];
//
// Precondition: the operands can be evaluated before the rest of the expression: the operation is under no condition of
// its own, and no other change or call beside it can affect them.
//
// Limits: an operand whose type the call converts is refused, since the stored value has the operand's own type.
#include <algorithm>
#include <array>

#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/split/warp_runs.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

enum class CollectiveKind { None, Shuffle, Vote, Reduce, Match, BlockVote, ActiveMask, ByWarp };

CollectiveKind kind_of(std::string_view word) {
    if (word == "__syncthreads_count" || word == "__syncthreads_or" || word == "__syncthreads_and")
        return CollectiveKind::BlockVote;
    if (is_shuffle(word)) return CollectiveKind::Shuffle;
    if (starts_with(word, "__ballot") || word == "__any" || word == "__all" || word == "__any_sync" ||
        word == "__all_sync")
        return CollectiveKind::Vote;
    if (word == "__activemask") return CollectiveKind::ActiveMask;
    if (word == "cuda_shim_by_warp") return CollectiveKind::ByWarp;
    if (starts_with(word, "__reduce_") && ends_with(word, "_sync")) return CollectiveKind::Reduce;
    if (word == "__match_any_sync" || word == "__match_all_sync") return CollectiveKind::Match;
    return CollectiveKind::None;
}

// "__shfl_down_sync" -> "down"; the plain __shfl reads by index.
std::string shuffle_direction(std::string_view word) {
    for (const char* direction : {"up", "down", "xor"})
        if (word.find(std::string("_") + direction) != std::string_view::npos) return direction;
    return "indexed";
}

// One operation in texts: the storage of the operands, each thread's write to it, and its read afterwards; between the
// two, a computation that is made once for the block, if any.
struct Exchange {
    std::string storage, write, result, computation = {};
};

// The arguments behind the operand. `alike`: all threads have the same ones, known before they hand over.
struct ExtraArguments {
    std::vector<std::string> texts;
    std::vector<std::string> block_texts;  // the same outside of the thread loops, where they are alike
    bool uniform = false;
};

Exchange block_vote(const std::string& word, const std::string& count, const std::string& value) {
    const std::string total = count + "_all";
    const std::string result = word == "__syncthreads_count" ? count
                               : word == "__syncthreads_or"  ? concat({"(int)(", count, " != 0)"})
                                                             : concat({"(int)(", count, " == ", total, ")"});
    return {concat({"int ", count, " = 0, ", total, " = 0;\n"}),
            concat({count, " += (int)(", value, ") != 0; ++", total, ";"}), result};
}

Exchange vote(const std::string& word, const std::string& votes, const std::string& value, const std::string& lanes) {
    const char* reader = starts_with(word, "__any") ? "any" : starts_with(word, "__all") ? "all" : "ballot";
    std::string result = concat({"cuda_shim_read_", reader, "(", votes, ", cuda_shim_t, ", lanes, ")"});
    if (word == "__ballot") result = "(unsigned long long)" + result;
    return {concat({"CUDA_SHIM_UNINITIALISED cuda_shim_votes ", votes, "; cuda_shim_clear(", votes, ".value);\n"}),
            concat({votes, ".value[cuda_shim_t] = (unsigned char)(1 | (((int)(", value, ") != 0) << 1));"}), result};
}

Exchange shuffle(const std::string& word, const std::string& buffer, const std::string& write, const std::string& type,
                 const ExtraArguments& extra) {
    const std::string width = extra.texts.size() > 1 ? extra.texts[1] : "CUDA_SHIM_WARP_SIZE";
    const std::string direction = shuffle_direction(word), offset_name = buffer + "_by";
    const bool uses_offset = extra.uniform && direction != "indexed";
    const std::string storage = concat({"CUDA_SHIM_UNINITIALISED cuda_shim_lane_values ", buffer, ";\n"});
    const std::string offset = concat({"const int ", offset_name, " = cuda_shim_lane_bits((int)(",
                                       uses_offset ? extra.block_texts[0] : "0", "));\n"});
    return {storage + (uses_offset ? offset : ""), write,
            concat({"cuda_shim_read_", direction, uses_offset ? "_by" : "", type, "(", buffer, ", cuda_shim_t, (int)(",
                    uses_offset ? offset_name : extra.texts[0], "), (int)(", width, "), cuda_shim_threads)"})};
}

// The same in a warp run, where one warp's lanes hand over: the values move once for the warp, in its registers.
Exchange shuffle_in_warp(const std::string& word, const std::string& buffer, const std::string& value,
                         std::string_view shuffled_word, const std::string& type, const ExtraArguments& extra) {
    const std::string width = extra.block_texts.size() > 1 ? extra.block_texts[1] : "CUDA_SHIM_WARP_SIZE";
    return {concat({"CUDA_SHIM_UNINITIALISED cuda_shim_warp_values<", shuffled_word, "> ", buffer, ";\n"}),
            concat({"cuda_shim_hand_over_lane(", buffer, ", cuda_shim_lane, ", value, ");"}),
            concat({"cuda_shim_lane_value", type, "(", buffer, ", cuda_shim_lane)"}),
            concat({"cuda_shim_shuffle_", shuffle_direction(word), "(", buffer, ", (int)(", extra.block_texts[0],
                    "), (int)(", width, "));\n"})};
}

// An operation of whole warps; `function` is the class of its functions.
Exchange by_warp(const std::string& function, const std::string& buffer, const std::string& value) {
    return {concat({"CUDA_SHIM_UNINITIALISED cuda_shim_warp_words<", function, "> ", buffer, "; cuda_shim_clear(",
                    buffer, ".active);\n"}),
            concat({"cuda_shim_hand_over_words(", buffer, ", cuda_shim_t, ", value, ");"}),
            concat({"cuda_shim_read_words(", buffer, ", cuda_shim_t)"}),
            concat({"cuda_shim_run_warps(", buffer, ", cuda_shim_threads);\n"})};
}

std::string decayed_type(const std::string& value) { return concat({"<cuda_shim_decay_t<decltype(", value, ")>>"}); }

Exchange write_exchange(CollectiveKind kind, const std::string& word, const std::string& buffer,
                        const std::string& value, const std::string& lanes, const ExtraArguments& extra) {
    const std::string write = concat({"cuda_shim_hand_over(", buffer, ", cuda_shim_t, ", value, ");"});
    const std::string type = decayed_type(value);
    switch (kind) {
        case CollectiveKind::BlockVote:
            return block_vote(word, buffer, value);
        case CollectiveKind::Shuffle:
            return shuffle(word, buffer, write, type, extra);
        case CollectiveKind::Reduce:
        case CollectiveKind::Match: {
            // "__reduce_add_sync" is read by cuda_shim_read_reduce_add.
            const std::string reader = word.substr(1, word.size() - 6);
            const bool reports_if_all = word == "__match_all_sync" && !extra.texts.empty();
            const std::string result = reports_if_all ? ", " + extra.texts[0] : "";
            return {concat({"CUDA_SHIM_UNINITIALISED cuda_shim_active_lane_values ", buffer, "; cuda_shim_clear(",
                            buffer, ".active);\n"}),
                    concat({write, " ", buffer, ".active[cuda_shim_t] = 1;"}),
                    concat({"cuda_shim_read", reader, type, "(", buffer, ", cuda_shim_t, ", lanes, result, ")"})};
        }
        default:
            return vote(word, buffer, value, lanes);
    }
}

// The text between the angle brackets of a call such as "cuda_shim_by_warp<...>(...)".
std::string template_argument(const TokenStream& tokens, Range call) {
    for (size_t i = call.begin; i < call.end && !tokens.is(i, "("); ++i) {
        if (!tokens.is(i, "<")) continue;
        const size_t close = tokens.closing_angle(i, call.end);
        if (close == TokenStream::npos) break;
        return tokens.slice(i + 1, close);
    }
    throw NotSplit("an operation of whole warps without its function");
}

}  // namespace

// The nodes in the range that wait and are part of no other node there that does.
std::vector<NodeIndex> SplitWriter::outermost_waiting(Range range) const {
    const FunctionSyntax& syntax = body_.syntax();
    std::vector<NodeIndex> outermost;
    syntax.for_each_within(range, [&](NodeIndex node) {
        if (!syntax.calls().waits(node)) return;
        const Range tokens = tree_[node].tokens;
        for (NodeIndex other : outermost)
            if (tree_[other].tokens.holds(tokens)) return;
        outermost.erase(std::remove_if(outermost.begin(), outermost.end(),
                                       [&](NodeIndex other) { return tokens.holds(tree_[other].tokens); }),
                        outermost.end());
        outermost.push_back(node);
    });
    std::sort(outermost.begin(), outermost.end(),
              [&](NodeIndex a, NodeIndex b) { return tree_[a].tokens.begin < tree_[b].tokens.begin; });
    return outermost;
}

// A warp operation behind ?, && or || runs in some threads only; one inside a lambda, whenever that is called.
void SplitWriter::check_unconditional(NodeIndex call, Range range) const {
    for (NodeIndex at = call, above = tree_[at].parent; above != kNoNode; at = above, above = tree_[at].parent) {
        const SyntaxNode& node = tree_[above];
        if (node.tokens.empty() || !range.holds(node.tokens)) return;
        const bool first = tree_.child(above, 0) == at;
        const bool conditional =
            (node.kind == NodeKind::Conditional ||
             (node.kind == NodeKind::Binary && (node.operation == "&&" || node.operation == "||"))) &&
            !first;
        if (conditional) throw NotSplit("a warp operation in a conditional expression");
        if (node.kind == NodeKind::Lambda || node.is_function()) throw NotSplit("a warp operation in a lambda");
        if (node.kind == NodeKind::Binary && node.operation == ",")
            throw NotSplit("a warp operation in an operand of a comma operator");
        if (node.kind == NodeKind::Sizeof) throw NotSplit("a warp operation in the operand of sizeof");
        if (node.kind == NodeKind::Other || node.kind == NodeKind::Atomic || node.kind == NodeKind::InitList ||
            node.kind == NodeKind::Construct)
            throw NotSplit(
                "a warp operation in an initializer list, a constructor call or another unsupported expression");
    }
}

// Does evaluating it touch nothing but this thread's own variables?
bool SplitWriter::touches_only_own_variables(Range argument) const {
    return body_.syntax().all_within(argument, [&](NodeIndex index) {
        const SyntaxNode& node = tree_[index];
        if (node.kind == NodeKind::Subscript || (node.kind == NodeKind::Unary && node.operation == "*") ||
            (node.kind == NodeKind::Member && node.arrow))
            return false;
        const Variable* variable = body_.variable_of(index);
        return !variable || (!variable->aliased && variable->kind != Variable::Fixed);
    });
}

// Operands are handed over before the rest of the expression is evaluated. Nothing that is evaluated before them in C++
// may change them: all that may happen beside them is the assignment of the whole, and calls that they do not notice.
void SplitWriter::check_effects(Range range, const std::vector<NodeIndex>& calls) const {
    const FunctionSyntax& syntax = body_.syntax();
    const std::vector<NodeIndex> roots = syntax.roots(range);
    bool calls_others = false;
    syntax.for_each_within(range, [&](NodeIndex index) {
        const SyntaxNode& node = tree_[index];
        for (NodeIndex call : calls)
            if (tree_[call].tokens.holds(node.tokens)) return;
        for (NodeIndex root : roots)
            if (tree_.without_parens(root) == index) return;
        const bool changes = (node.kind == NodeKind::Binary && node.operation == "=") ||
                             node.kind == NodeKind::CompoundAssign || node.operation == "++" || node.operation == "--";
        if (changes) throw NotSplit("a warp operation beside an assignment in the same expression");
        // A call that has all of them among its operands runs after them.
        if (std::all_of(calls.begin(), calls.end(),
                        [&](NodeIndex call) { return node.tokens.holds(tree_[call].tokens); }))
            return;
        calls_others = calls_others || node.is_call() || node.kind == NodeKind::Construct ||
                       node.kind == NodeKind::Other || node.kind == NodeKind::Atomic || node.kind == NodeKind::Lambda;
    });
    if (!calls_others) return;
    for (NodeIndex call : calls)
        if (!touches_only_own_variables(tree_[call].tokens))
            throw NotSplit("a warp operation beside a call in the same expression, whose effects it may read");
}

void SplitWriter::check_evaluation_order(Range range) const {
    const std::vector<NodeIndex> calls = outermost_waiting(range);
    for (NodeIndex call : calls) check_unconditional(call, range);
    check_effects(range, calls);
}

// Writes the hand-over of every operand in the range; returns the range's text with the operations replaced by reads.
std::string SplitWriter::exchange(Range range, Region& region, const Place& place) {
    check_evaluation_order(range);
    std::string result;
    size_t copied = range.begin;
    const auto copy_to = [&](size_t end) {
        if (end > copied) append(result, {text({copied, end}), " "});
    };
    for (NodeIndex call : outermost_waiting(range)) {
        const Range call_tokens = tree_[call].tokens;
        copy_to(call_tokens.begin);
        append(result, {exchange_call(call, region, place), " "});
        copied = call_tokens.end;
    }
    copy_to(range.end);
    return result;
}

std::string SplitWriter::exchange_call(NodeIndex call, Region& region, const Place& place) {
    if (tree_[call].kind != NodeKind::Call)
        throw NotSplit("a barrier or warp operation in an operator or a constructor");
    const Callee callee = body_.syntax().calls().callee(call);
    if (callee.name.empty()) throw NotSplit("it calls an unknown function");
    const std::string word(callee.name);
    if (!callee.of_prelude) throw NotSplit(concat({"it calls ", word, ", which waits for threads"}));
    const CollectiveKind kind = kind_of(word);
    if (kind == CollectiveKind::None) throw NotSplit("it uses " + word);
    const std::vector<Range> arguments = written_arguments(tree_, call);
    if (std::any_of(arguments.begin(), arguments.end(), [](Range argument) { return argument.empty(); }))
        throw NotSplit(concat({"an argument of ", word, " inside a macro's expansion"}));
    const size_t operand = handed_over_argument(word);
    const bool masked = operand == 1;
    const size_t min_arguments =
        kind == CollectiveKind::ActiveMask ? 0 : operand + (kind == CollectiveKind::Shuffle ? 2 : 1);
    if (arguments.size() < min_arguments) throw NotSplit(word + " with too few arguments");
    if (kind == CollectiveKind::Shuffle || kind == CollectiveKind::Reduce || kind == CollectiveKind::Match)
        check_operand_type(call, arguments[operand]);
    const auto argument_text = [&](Range argument) {
        return has_collective(argument) ? exchange(argument, region, place) : text(argument);
    };
    const std::string value = kind == CollectiveKind::ActiveMask ? "1" : argument_text(arguments[operand]);
    const std::string lanes =
        masked ? concat({"(unsigned long long)(", argument_text(arguments[0]), ")"}) : "CUDA_SHIM_ALL_LANES";
    ExtraArguments extra;
    extra.uniform = true;
    for (size_t i = operand + 1; i < arguments.size(); ++i) {
        const bool uniform = uniformity_.is_known_to_block(arguments[i]) && !has_collective(arguments[i]);
        extra.texts.push_back(argument_text(arguments[i]));
        extra.block_texts.push_back(uniform ? block_text(arguments[i]) : "");
        extra.uniform = extra.uniform && uniform;
    }
    const Exchange operation =
        kind == CollectiveKind::ByWarp ? by_warp(template_argument(tokens_, tree_[call].tokens), fresh("warps"), value)
        : runs_by_warp_ ? shuffle_in_warp(word, fresh("lanes"), value, shuffled_word(body_.syntax(), call),
                                          decayed_type(value), extra)
                        : write_exchange(kind, word, fresh("lanes"), value, lanes, extra);
    // The operand is handed over at the end of the text before it, unless a thread may have left that early.
    if (region.jumps) flush(region, place);
    out_ += operation.storage;
    append(region.text, {"\n", operation.write});
    region.mentions.push_back(tree_[call].tokens);
    flush(region, place);
    out_ += operation.computation;
    return operation.result;
}

// The value handed over has the type of the operand as it is written; a call that converts it hands over another.
void SplitWriter::check_operand_type(NodeIndex call, Range operand) const {
    body_.syntax().for_each_within(tree_[call].tokens, [&](NodeIndex index) {
        const SyntaxNode& node = tree_[index];
        const SyntaxNode& above = tree_[node.parent];
        const bool is_operand = node.tokens.begin == operand.begin && node.tokens.end == operand.end;
        if (is_operand && node.kind == NodeKind::ImplicitCast && above.kind == NodeKind::Call &&
            node.operation != "LValueToRValue" && node.operation != "NoOp")
            throw NotSplit("a warp operation with an operand that is converted to another type");
    });
}

}  // namespace cuda_shim
