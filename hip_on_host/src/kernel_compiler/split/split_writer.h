// Region formation: writes a kernel as loops over the threads of a block, one for every region between two barriers.
//
// Problem: threads that wait at a barrier need a stack each (fibres), and their code is not vectorised.
//
//   before: float v = x[t]; __syncthreads(); y[t] = v + s[t];
//   after:  for each thread t: v[t] = x[t];
//           for each thread t: y[t] = v[t] + s[t];
//
// A variable that one region alone uses stays as it is, inside the loop. A variable that lives across regions becomes
// an array with an element for each thread; the loops bind a reference to the element under the variable's own name, so
// that the program's text is copied unchanged. A uniform variable stays single, under a reserved name: the loops see it
// as a constant, so that the compiler refuses a text that changes it after all. Uniform control flow around barriers
// stays control flow; where it diverges, each thread has a flag that says whether it is active.
//
// Precondition: the syntax tree shows every barrier, and every use of every variable (KernelBody). NotSplit is thrown
// where an analysis is not certain, and the kernel then runs as it is written.
//
// Limits: no goto, no barrier in a switch or a range-based for, CUDA_SHIM_SPLIT_BYTES of variables for each thread.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/split/affine_guards.h"
#include "kernel_compiler/split/block_fusion.h"
#include "kernel_compiler/split/block_local_atomics.h"
#include "kernel_compiler/split/interchange.h"
#include "kernel_compiler/split/kernel_body.h"
#include "kernel_compiler/split/prefetch.h"
#include "kernel_compiler/split/uniformity.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

// A condition on the running thread, valid inside a thread loop, with the tokens whose variables it needs there.
struct Mask {
    std::string text;
    std::vector<Range> mentions;
    // The mask's comparisons (affine_guards.h), where the mask has the same value anywhere in a region, and evaluating
    // it has no effect.
    std::optional<std::vector<AffineGuard>> guards = {};
};

// The place of a statement.
struct Place {
    std::vector<Mask> masks;          // select the active threads; empty: every thread
    const Statement* loop = nullptr;  // the split loop around
    bool at_top = false;              // among the statements of the kernel's own braces
    bool diverged_in_loop = false;    // some threads of that loop may not be here
    bool diverged = false;            // some threads of the kernel may not be here, returned ones aside
};

// Text for one thread loop: a region of the kernel, gathered until the threads meet.
struct Region {
    std::string text;
    std::vector<Range> mentions;
    bool jumps = false;  // contains `return n` for a jump out of the region
    std::vector<Mask>
        hoisted_guards;  // conditions of ifs in the text; where all hold, the text need not ask (split_thread_rows.cpp)
    size_t single_guard_end = 0;  // the text up to here is one if without an else, the guarded one

    bool empty() const { return text.empty(); }
    bool is_single_guard() const { return !empty() && single_guard_end == text.size(); }
};

class SplitWriter {
public:
    SplitWriter(KernelBody& body, const LineMap& lines);

    // The first interchanged loop for which interchange is not profitable; null when there is none.
    const Statement* unprofitable_loop() const;
    // The body of the split function, braces included. Throws NotSplit.
    std::string write();
    // Once written: are its loops over the threads of all blocks of a run?
    bool over_blocks() const { return fusion_ != BlockFusion::None; }
    // Once written: the width of blocks for which a second form pays (block_width.h); 0 for none.
    unsigned int known_width() const;
    // Once written: is it one loop over the threads, with hoisted guards?
    bool is_one_row_loop() const;

private:
    static constexpr char kAllThreads[] = "CUDA_SHIM_THREADS\n";
    static constexpr char kAlive[] = "cuda_shim_alive";  // flags of the threads that have not returned
    // Values that a region returns when it leaves early.
    enum LeaveCode { LeaveKernel = 1, LeaveLoop = 2, LeaveRound = 3 };

    // split_writer.cpp: regions, and the control flow around them
    void write_pass();
    void statements(const std::vector<const Statement*>& list, const Place& enclosing);
    void body_of(const Statement& statement, const Place& place);
    void structural(const Statement& statement, const Place& place);
    void if_statement(const Statement& statement, const Place& place);
    void if_masked(const Statement& statement, const std::string& condition, const Place& place);
    bool block_jump(const Statement& statement, const Place& place);
    void add_to_region(Region& region, const Statement& statement, const Place& place);
    std::string with_jumps(const std::string& text) const;
    void flush(Region& region, const Place& place);
    void thread_loop(const std::vector<Range>& mentions, const std::vector<Mask>& masks, const std::string& text);
    void region_loop(const Region& region, const Place& place, const std::string& text);
    bool plan_region(const std::vector<Range>& mentions);
    std::map<size_t, const Variable*> variables_in(std::vector<Range> mentions) const;
    std::string bindings(const std::vector<Range>& mentions, const std::vector<Mask>& masks,
                         std::string& references) const;
    std::string recomputed(const Variable& variable) const;

    // split_thread_rows.cpp: guards hoisted to rows
    bool is_hoistable_guard(const Statement& statement, const Region& region) const;
    void add_guarded(Region& region, const Statement& statement, const Place& place);
    bool hoists_guards(const Region& region, const std::vector<Mask>& masks) const;
    // `at_row`: statements before each row.
    void row_loop(const Region& region, const std::vector<Mask>& masks, const std::string& text,
                  const std::string& at_row);
    void evaluate_guards(const std::vector<Mask>& masks);
    void periodic_guard(const AffineGuard& guard);
    std::string guard_operand(const char* begin, Range range, bool negated) const;

    // split_prefetch.cpp: memory that a later block or round begins with
    std::string prefetch_later_block(const Region& region, const Place& place);
    void write_deferred_prefetches();
    static std::string in_later_block(const std::string& statements);
    std::string prefetch_next_round(const Statement& loop, const std::string& round, const Region& iteration) const;
    std::string prefetch_rows(const std::vector<PrefetchedAccess>& accesses) const;

    // split_loops.cpp: loops around barriers
    void loop_statement(const Statement& loop, const Place& place);
    void joint_loop(const Statement& loop, const Place& place);
    void test_any_active(const std::vector<Mask>& masks);
    void test_whole_rows(const std::vector<Mask>& masks);
    void break_when_none_active(const Place& inside);
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

    // split_warp_runs.cpp: statements for one warp after the other
    size_t warp_run_end(const std::vector<const Statement*>& list, size_t begin, const Place& place) const;
    void warp_run(const std::vector<const Statement*>& run, const Place& place);
    void test_whole_warps(const std::vector<Mask>& masks);
    void run_by_warp(const std::vector<const Statement*>& run, const Place& place);

    // split_divergent_loops.cpp: loops under a lane mask
    void divergent_loop(const Statement& loop, const Place& place);
    void divergent_iteration(const Statement& loop, bool joint, const Place& place);
    std::string lane_copies(const Statement& loop, const std::vector<Range>& mentions, std::string& copies_back) const;

    // split_collectives.cpp: warp operations and votes
    bool has_collective(Range range) const { return body_.syntax().waits(range); }
    std::string exchange(Range range, Region& region, const Place& place);
    std::vector<NodeIndex> outermost_waiting(Range range) const;
    std::string exchange_call(NodeIndex call, Region& region, const Place& place);
    void check_evaluation_order(Range range) const;
    void check_unconditional(NodeIndex call, Range range) const;
    void check_effects(Range range, const std::vector<NodeIndex>& calls) const;
    bool touches_only_own_variables(Range argument) const;
    void check_operand_type(NodeIndex call, Range operand) const;

    // split_variables.cpp: variables across regions
    void choose_recomputed();
    void choose_strided(const Statement& statement);
    void choose_per_thread();
    void declare_variables(const Declaration& declaration, Range range, Region& region, const Place& place);
    void declare_parameters();
    std::string storage(const Variable& variable);
    std::string initialise(const Variable& variable, const std::string& initial) const;
    std::string plain_declaration(const Variable& variable, const std::string& name, const std::string& initial) const;
    std::string specifiers(const Variable& variable, bool without_const) const;
    std::string named_type(const Variable& variable) const;
    std::string unevaluated(Range range) const;
    // "* const name[16]"
    std::string declared_as(const Variable& variable, const std::string& name, bool without_const) const;
    std::string lasting(const Variable& variable) const;
    void check_storable(const Variable& variable) const;
    void check_constructors(const Declaration& declaration, Range range) const;
    bool ends_with_region(const Variable& variable) const;
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
    const std::set<size_t> block_local_atomics_;  // tokens
    std::string out_;
    int names_ = 0;
    std::string stored_bytes_ =
        "0";  // names the bytes that each thread's kept variables need so far, in the scope being written
    // The first pass only finds out which region each token falls into (0: evaluated once for the block).
    bool planning_ = true;
    int region_ = 0;
    std::vector<int> region_of_;
    BlockFusion fusion_ = BlockFusion::None;
    std::vector<PrefetchedAccess> deferred_prefetches_;  // accesses of written regions, for the regions behind them
    bool has_row_loop_ = false;                          // some loop over threads is a row_loop
    std::string threads_ = kAllThreads;                  // the beginning of a thread loop
    bool returns_ = false;                               // some threads may return before others
    std::map<const Statement*, StridedLoop> strided_;
    std::set<const Variable*> tiled_;                // kept in the registers of a tile or a warp
    bool tests_threads_in_loop_ = false;             // each thread of a loop of the block compares its place
    bool in_warp_run_ = false;                       // the statements are a warp run's
    bool runs_by_warp_ = false;                      // and are being written for one warp after the other
    std::set<const Statement*> breaks_, continues_;  // loops that some threads leave, or continue, before others
};

}  // namespace cuda_shim
