// Writes a kernel as loops over the threads of a block, one for every region between two barriers, which is called a
// stretch here.
//
// Variables that only one stretch uses stay as they are, inside the loop. Those that live across become arrays with an
// element for each thread, to which the loops bind references under the variable's own name, so that the program's text
// is copied unchanged. Uniform variables stay single, under a name that the program does not know: the loops over
// threads see them as constants, so that a text which changes one after all is refused by the compiler. Control flow
// around barriers that is the same for all threads stays control flow; where it differs, each thread has a flag that
// says whether it takes part.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/line_map.h"
#include "kernel_compiler/split/kernel_body.h"
#include "kernel_compiler/split/own_atomics.h"
#include "kernel_compiler/split/row_conditions.h"
#include "kernel_compiler/split/soft_loops.h"
#include "kernel_compiler/split/uniformity.h"
#include "kernel_compiler/words.h"

namespace cuda_shim {

// A condition on the running thread, valid inside a thread loop, with the tokens whose variables it needs there.
struct Mask {
    std::string text;
    std::vector<Range> mentions;
    // The comparisons of the mask (row_conditions.h), where asked anywhere in a stretch it has the same value, and
    // asking does nothing.
    std::optional<std::vector<RowCondition>> of_row = {};
};

// The place of a statement.
struct Place {
    std::vector<Mask> masks;          // select the threads that take part; empty: every thread
    const Statement* loop = nullptr;  // the split loop around
    bool at_top = false;              // among the statements of the kernel's own braces
    bool diverged_in_loop = false;    // some threads of that loop may not be here
    bool diverged = false;            // some threads of the kernel may not be here, returned ones aside
};

// Text for one thread loop: a region of the kernel, gathered until the threads meet.
struct Stretch {
    std::string text;
    std::vector<Range> mentions;
    bool jumps = false;       // contains `return n` for a jump out of the stretch
    std::vector<Mask> asked;  // conditions of ifs in the text; where all hold, the text need not ask (split_rows.cpp)
    size_t lone_end = 0;      // the text up to here is one if without an else, the one that is asked

    bool empty() const { return text.empty(); }
    bool is_lone() const { return !empty() && lone_end == text.size(); }
};

class SplitWriter {
public:
    SplitWriter(KernelBody& body, const LineMap& lines);

    // The first loop that is split for speed and should not be; null when all may.
    const Statement* unsuitable_soft_loop() const;
    // The body of the split function, braces included. Throws NotSplit.
    std::string write();
    // Once written: are its loops over the threads of all blocks of a run?
    bool over_blocks() const { return over_blocks_; }
    // Once written: is it one loop over the threads, better than the kernel's own text in such a loop would be?
    bool is_one_row_loop() const;

private:
    static constexpr char kAllThreads[] = "CUDA_SHIM_THREADS\n";
    static constexpr char kAlive[] = "cuda_shim_alive";  // flags of the threads that have not returned
    // Values that a stretch returns when it leaves early.
    enum LeaveCode { LeaveKernel = 1, LeaveLoop = 2, LeaveRound = 3 };

    // split_writer.cpp: stretches, and the control flow around them
    void write_pass();
    void statements(const std::vector<const Statement*>& list, const Place& enclosing);
    void body_of(const Statement& statement, const Place& place);
    void structural(const Statement& statement, const Place& place);
    void if_statement(const Statement& statement, const Place& place);
    void if_masked(const Statement& statement, const std::string& condition, const Place& place);
    bool is_guard(const Statement& statement, const Place& place) const;
    bool real_jump(const Statement& statement, const Place& place);
    void add_to_stretch(Stretch& stretch, const Statement& statement, const Place& place);
    std::string with_jumps(const std::string& text) const;
    void flush(Stretch& stretch, const Place& place);
    void thread_loop(const std::vector<Range>& mentions, const std::vector<Mask>& masks, const std::string& text);
    void stretch_loop(const Stretch& stretch, const std::vector<Mask>& masks, const std::string& text);
    bool only_plans(const std::vector<Range>& mentions);
    std::map<size_t, const Variable*> variables_in(std::vector<Range> mentions) const;
    std::string bindings(const std::vector<Range>& mentions, const std::vector<Mask>& masks,
                         std::string& references) const;
    std::string recomputed(const Variable& variable) const;

    // split_rows.cpp: conditions hoisted to rows, which then do not ask thread by thread
    bool may_be_asked(const Statement& statement, const Stretch& stretch) const;
    void add_asking(Stretch& stretch, const Statement& statement, const Place& place);
    bool asks_rows(const Stretch& stretch, const std::vector<Mask>& masks) const;
    void row_loop(const Stretch& stretch, const std::vector<Mask>& masks, const std::string& text);
    void ask_row(const std::vector<Mask>& masks);
    std::string asked_side(const char* begin, Range range, bool negated) const;

    // split_loops.cpp: loops around barriers
    void loop_statement(const Statement& loop, const Place& place);
    void joint_loop(const Statement& loop, const Place& place);
    void ask_for_anybody(const std::vector<Mask>& masks);
    void ask_for_whole_rows(const std::vector<Mask>& masks);
    void leave_when_nobody_is_left(const Place& inside);
    bool threads_return_in(const Statement& loop) const;
    void masked_loop(const Statement& loop, const Place& place);
    void strided_loop(const Statement& loop, const Place& place);
    std::string skip_rows(const Statement& loop) const;
    std::string block_init(const Statement& loop) const;
    void begin_strips();
    void end_strips();
    void tiled_loop(const Statement& loop, const Place& place);
    bool names_thread_index(std::string_view axis) const;
    void masked_init(const Statement& loop, const Place& place);
    void masked_condition(const Statement& loop, const Place& inside);
    void masked_step(const Statement& loop, const Place& inside);
    bool is_joint(const Statement& loop) const;
    std::string in_loop_flags(const Statement& loop) const;
    std::string in_round_flags(const Statement& loop) const;
    void raise_flags(const std::string& flags, const std::vector<Mask>& masks);
    Mask flag_mask(const std::string& flags) const { return {flags + ".value[cuda_shim_t]", {}}; }

    // split_lane_loops.cpp: loops that threads leave one by one
    void lane_loop(const Statement& loop, const Place& place);
    void lane_round(const Statement& loop, bool joint, const Place& place);
    std::string lane_copies(const Statement& loop, const std::vector<Range>& mentions, std::string& back) const;

    // split_collectives.cpp: warp operations and votes
    bool has_collective(Range range) const { return body_.syntax().waits(range); }
    std::string exchange(Range range, Stretch& stretch, const Place& place);
    bool is_known_to_block(Range expression) const;
    std::vector<NodeIndex> outermost_waiting(Range range) const;
    std::string exchange_call(NodeIndex call, Stretch& stretch, const Place& place);
    void check_evaluated_first(Range range) const;
    void check_way_up(NodeIndex call, Range range) const;
    void check_effects(Range range, const std::vector<NodeIndex>& calls) const;
    bool is_own_business(Range argument) const;
    void check_operand_type(NodeIndex call, Range operand) const;

    // split_variables.cpp: variables across stretches
    void choose_recomputed();
    void choose_strided(const Statement& statement);
    void choose_per_thread();
    void declare_variables(const Declaration& declaration, Range range, Stretch& stretch, const Place& place);
    void declare_parameters();
    std::string storage(const Variable& variable);
    std::string initialise(const Variable& variable, const std::string& initial) const;
    std::string plain_declaration(const Variable& variable, const std::string& name, const std::string& initial) const;
    std::string specifiers(const Variable& variable, bool without_const) const;
    std::string unevaluated(Range range) const;
    // "* const name[16]"
    std::string declared_as(const Variable& variable, const std::string& name, bool without_const) const;
    std::string lasting(const Variable& variable) const;
    void check_kept(const Variable& variable) const;
    void check_constructors(const Declaration& declaration, Range range) const;
    bool ends_with_stretch(const Variable& variable) const;
    std::string array_name(const Variable& variable) const;
    std::string element_of(const Variable& variable) const;

    std::string line(size_t token) const { return lines_.directive(token); }
    // The program's text with its variables under the names that they have in a thread loop, or for the block.
    std::string text(Range range) const;
    std::string block_text(Range range) const;
    std::string text_until(size_t token_begin, size_t token_end) const;
    std::string inner_name(const Variable& variable) const;
    std::string block_name(const Variable& variable) const;
    bool is_uniform(const Variable& variable) const;
    std::string fresh(const char* stem) { return concat({"cuda_shim_", stem, std::to_string(++names_)}); }

    KernelBody& body_;
    const TokenStream& tokens_;
    const SyntaxTree& tree_;
    const Uniformity uniformity_;
    const LineMap& lines_;
    const std::set<size_t> own_atomics_;  // tokens
    std::string out_;
    int names_ = 0;
    std::string total_ =
        "0";  // names the bytes that each thread's kept variables need so far, in the scope being written
    // The first pass only finds out which stretch each token falls into (0: evaluated once for the block).
    bool planning_ = true;
    int stretch_ = 0;
    std::vector<int> stretch_of_;
    bool over_blocks_ = false;
    bool rows_ask_ = false;              // some loop over threads is a row_loop
    std::string threads_ = kAllThreads;  // the beginning of a thread loop
    bool returns_ = false;               // some threads may return before others
    std::map<const Statement*, StridedLoop> strided_;
    std::set<const Variable*> tiled_;                // kept in the registers of a tile
    std::set<const Statement*> breaks_, continues_;  // loops that some threads leave, or go round, before others
};

}  // namespace cuda_shim
