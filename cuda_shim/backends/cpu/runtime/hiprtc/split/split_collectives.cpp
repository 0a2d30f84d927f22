// Warp operations and voting barriers: every thread hands over its operand in one loop, and reads the others' in the
// next.
#include <algorithm>
#include <array>

#include "hiprtc/split/split_writer.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool ends_with(std::string_view word, std::string_view suffix) {
    return word.size() >= suffix.size() && word.substr(word.size() - suffix.size()) == suffix;
}

enum class CollectiveKind { None, Shuffle, Vote, Reduce, Match, BlockVote, ActiveMask, Unsupported };

CollectiveKind kind_of(std::string_view word) {
    if (word == "__syncthreads_count" || word == "__syncthreads_or" || word == "__syncthreads_and")
        return CollectiveKind::BlockVote;
    if (starts_with(word, "__shfl")) return CollectiveKind::Shuffle;
    if (starts_with(word, "__ballot") || word == "__any" || word == "__all" || word == "__any_sync" ||
        word == "__all_sync")
        return CollectiveKind::Vote;
    if (word == "__activemask") return CollectiveKind::ActiveMask;
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

// One operation in three texts: where the operands lie, what each thread writes there, and what it reads afterwards.
struct Exchange {
    std::string storage, hand_over, read;
};

// The arguments behind the operand. `alike`: all threads have the same ones, known before they hand over.
struct FurtherArguments {
    std::vector<std::string> texts;
    bool alike = false;
};

Exchange block_vote(const std::string& word, const std::string& count, const std::string& value) {
    const std::string everyone = count + "_all";
    const std::string read = word == "__syncthreads_count" ? count
                             : word == "__syncthreads_or"  ? concat({"(int)(", count, " != 0)"})
                                                           : concat({"(int)(", count, " == ", everyone, ")"});
    return {concat({"int ", count, " = 0, ", everyone, " = 0;\n"}),
            concat({count, " += (", value, ") != 0; ++", everyone, ";"}), read};
}

Exchange vote(const std::string& word, const std::string& votes, const std::string& value, const std::string& lanes) {
    const char* reader = starts_with(word, "__any") ? "any" : starts_with(word, "__all") ? "all" : "ballot";
    std::string read = concat({"cuda_shim_read_", reader, "(", votes, ", cuda_shim_t, ", lanes, ")"});
    if (word == "__ballot") read = "(unsigned long long)" + read;
    return {concat({"CUDA_SHIM_UNINITIALISED cuda_shim_votes ", votes, "; cuda_shim_clear(", votes, ".value);\n"}),
            concat({votes, ".value[cuda_shim_t] = (unsigned char)(1 | (((", value, ") != 0) << 1));"}), read};
}

Exchange shuffle(const std::string& word, const std::string& buffer, const std::string& hand_over,
                 const std::string& type, const FurtherArguments& further) {
    const std::string width = further.texts.size() > 1 ? further.texts[1] : "CUDA_SHIM_WARP_SIZE";
    const std::string direction = shuffle_direction(word), by = buffer + "_by";
    const bool neighbours = further.alike && direction != "indexed";
    const std::string storage = concat({"CUDA_SHIM_UNINITIALISED cuda_shim_lane_values ", buffer, ";\n"});
    const std::string how_far = concat({"const int ", by, " = cuda_shim_lane_bits((int)(", further.texts[0], "));\n"});
    return {storage + (neighbours ? how_far : ""), hand_over,
            concat({"cuda_shim_read_", direction, neighbours ? "_by" : "", type, "(", buffer, ", cuda_shim_t, (int)(",
                    neighbours ? by : further.texts[0], "), (int)(", width, "), cuda_shim_threads)"})};
}

Exchange write_exchange(CollectiveKind kind, const std::string& word, const std::string& buffer,
                        const std::string& value, const std::string& lanes, const FurtherArguments& further) {
    const std::string hand_over = concat({"cuda_shim_hand_over(", buffer, ", cuda_shim_t, ", value, ");"});
    const std::string type = concat({"<cuda_shim_decay_t<decltype(", value, ")>>"});
    switch (kind) {
        case CollectiveKind::BlockVote:
            return block_vote(word, buffer, value);
        case CollectiveKind::Shuffle:
            return shuffle(word, buffer, hand_over, type, further);
        case CollectiveKind::Reduce:
        case CollectiveKind::Match: {
            // "__reduce_add_sync" is read by cuda_shim_read_reduce_add.
            const std::string reader = word.substr(1, word.size() - 6);
            const bool says_if_all = word == "__match_all_sync" && !further.texts.empty();
            const std::string result = says_if_all ? ", " + further.texts[0] : "";
            return {concat({"CUDA_SHIM_UNINITIALISED cuda_shim_active_lane_values ", buffer, "; cuda_shim_clear(",
                            buffer, ".active);\n"}),
                    concat({hand_over, " ", buffer, ".active[cuda_shim_t] = 1;"}),
                    concat({"cuda_shim_read", reader, type, "(", buffer, ", cuda_shim_t, ", lanes, result, ")"})};
        }
        default:
            return vote(word, buffer, value, lanes);
    }
}

}  // namespace

bool SplitWriter::has_collective(Range range) const { return unit_.synchronises(tokens_, range.begin, range.end); }

// A warp operation behind ?, && or || runs in some threads only; one inside a lambda, whenever that is called.
void SplitWriter::check_evaluated_always(Range range) const {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (kind_of(tokens_.text(i)) != CollectiveKind::None && tokens_.is(i + 1, "(")) {
            i = tokens_.closing(i + 1);  // conditions inside its arguments are the thread's own affair
            continue;
        }
        const std::string_view sign = tokens_.text(i);
        if (sign == "?" || sign == "&&" || sign == "||") throw NotSplit("a warp operation in a conditional expression");
        if (sign == "{" && i > range.begin && tokens_.is(i - 1, ")")) throw NotSplit("a warp operation in a lambda");
    }
}

// Writes the hand-over of every operand in the range; returns the range's text with the operations replaced by reads.
std::string SplitWriter::exchange(Range range, Stretch& stretch, const Place& place) {
    std::string result;
    size_t copied = range.begin;
    auto copy_to = [&](size_t end) {
        if (end > copied)
            append(result,
                   {tokens_.source().substr(tokens_[copied].begin, tokens_[end - 1].end - tokens_[copied].begin), " "});
    };
    for (size_t i = range.begin; i < range.end; ++i) {
        const std::string_view word = tokens_.text(i);
        if (!tokens_.is_identifier(i) || !unit_.synchronises(tokens_, i, i + 1)) continue;
        if (kind_of(word) == CollectiveKind::None || !tokens_.is(i + 1, "(")) {
            if (unit_.is_synchronising_function(std::string(word)))
                throw NotSplit(concat({"it calls ", word, ", which waits for threads"}));
            throw NotSplit("it uses " + std::string(word));
        }
        copy_to(i);
        append(result, {exchange_call(i, stretch, place), " "});
        i = tokens_.closing(i + 1);
        copied = i + 1;
    }
    copy_to(range.end);
    return result;
}

// Has the expression the same value in all threads, and do its names mean something outside of the thread loops?
bool SplitWriter::is_known_to_block(Range expression) const {
    for (size_t i = expression.begin; i < expression.end; ++i) {
        const Variable* variable = body_.variable_at(i);
        if (variable && !variable->at_structure) return false;
    }
    return uniformity_.is_uniform(expression);
}

std::string SplitWriter::exchange_call(size_t call, Stretch& stretch, const Place& place) {
    const std::string word(tokens_.text(call));
    const CollectiveKind kind = kind_of(word);
    const std::vector<Range> arguments = split_at_commas(tokens_, {call + 2, tokens_.closing(call + 1)});
    const bool masked = ends_with(word, "_sync");
    const size_t operand = masked ? 1 : 0;
    const size_t fewest = kind == CollectiveKind::ActiveMask ? 0 : operand + (kind == CollectiveKind::Shuffle ? 2 : 1);
    if (arguments.size() < fewest) throw NotSplit(word + " with too few arguments");
    const std::string value = kind == CollectiveKind::ActiveMask ? "1" : exchange(arguments[operand], stretch, place);
    const std::string lanes =
        masked ? concat({"(unsigned long long)(", text(arguments[0]), ")"}) : "CUDA_SHIM_ALL_LANES";
    FurtherArguments further;
    further.alike = true;
    for (size_t i = operand + 1; i < arguments.size(); ++i) {
        further.texts.push_back(text(arguments[i]));
        further.alike = further.alike && is_known_to_block(arguments[i]);
    }
    const Exchange written = write_exchange(kind, word, fresh("lanes"), value, lanes, further);
    // Handed over at the end of what came before, unless a thread may have left that early.
    if (stretch.jumps) flush(stretch, place);
    out_ += written.storage;
    append(stretch.text, {"\n", written.hand_over});
    stretch.mentions.push_back({call, tokens_.closing(call + 1) + 1});
    flush(stretch, place);
    return written.read;
}

}  // namespace cuda_shim
