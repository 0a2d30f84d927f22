#include "engine/fibre_block.h"

#include <algorithm>

#include "common/settings.h"
#include "engine/access_checker.h"
#include "engine/context_switch.h"
#include "engine/faults.h"
#include "engine/grid_barrier.h"
#include "engine/loaded_module.h"

namespace cuda_shim {

namespace {

// A loop over the threads of a block has the room that it would have on a worker's own stack, more or less.
constexpr size_t kLoopStackBytes = 4u << 20;

// The number of rounds that a waiting thread's loop makes each time it runs. A switch to another thread costs as much
// as some rounds. There are more of them while all threads wait, since the awaited write comes from elsewhere, and some
// loops only look like waiting.
constexpr int kMinSpinIterations = 16;
constexpr int kMaxSpinIterations = 256;

// Marks stack pointers, which are multiples of 8.
constexpr uintptr_t kNotBegun = 1;

// Turns of spinning threads after which the block is left although threads progress: each round of a loop that polls
// may have a barrier, which all threads pass, as `while (__syncthreads_and(state != turn)) fetch();`.
constexpr int kMaxSpinTurns = 32;

__attribute__((tls_model("initial-exec"))) thread_local FibreBlock* running_block = nullptr;

}  // namespace

FibreBlock::FibreBlock() : warp_shift_(settings().warp_size == 64 ? 6 : 5), loop_stack_(kLoopStackBytes) {}
FibreBlock::~FibreBlock() = default;

hipError_t FibreBlock::prepare(const KernelLaunch& launch, bool as_loop, void* dynamic_shared, void* grid_scheduler) {
    const auto threads = static_cast<unsigned>(launch.block.count());
    launch_number_++;
    as_loop_ = as_loop;
    kernel_ = launch.kernel->symbol.run_threads;
    run_.args = launch.args;
    const uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
    const uint32_t block[3] = {launch.block.x, launch.block.y, launch.block.z};
    for (int axis = 0; axis < 3; axis++) {
        run_.grid[axis] = grid[axis];
        run_.block[axis] = block[axis];
    }
    run_.dynamic_shared = dynamic_shared;
    run_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    run_.cooperative = grid_scheduler != nullptr;
    run_.block_scheduler = this;
    run_.grid_scheduler = grid_scheduler;
    run_.cluster = launch.cluster_run;

    if (threads_ != threads || block_.x != launch.block.x || block_.y != launch.block.y) {
        block_ = launch.block;
        threads_ = threads;
        warp_count_ = ((threads - 1) >> warp_shift_) + 1;
        for (unsigned t = 0; t < threads; t++) {
            index_[t] = {static_cast<uint16_t>(t % block_.x), static_cast<uint16_t>(t / block_.x % block_.y),
                         static_cast<uint16_t>(t / block_.x / block_.y)};
        }
    }
    if (thread_runs_.size() < threads_) thread_runs_.resize(threads_);
    not_begun_.resize(kMaxThreadsPerBlock);
    loop_run_ = run_;
    for (int axis = 0; axis < 3; axis++) loop_run_.thread_hi[axis] = block[axis];
    run_.on_fibres = 1;
    prepare_checks(launch, dynamic_shared);
    return as_loop ? make_loop() : make_threads();
}

void FibreBlock::prepare_checks(const KernelLaunch& launch, void* dynamic_shared) {
    checked_ = launch.kernel->module && launch.kernel->module->is_checked();
    if (!checked_) return;
    if (!checker_) checker_ = std::make_unique<AccessChecker>(*this, warp_shift_);
    run_.args = checker_->prepare(launch, dynamic_shared);
    kernel_ = [](const CudaShimKernelRun* run) {
        static_cast<FibreBlock*>(run->block_scheduler)->checker_->run_thread(*run);
    };
}

hipError_t FibreBlock::make_threads() {
    if (stacks_.count() >= threads_) return hipSuccess;
    // Most launches stay below 256 threads; the others get the largest block's room at once.
    if (!stacks_.reserve(threads_ <= 256 ? 256 : kMaxThreadsPerBlock)) return hipErrorOutOfMemory;
    for (unsigned t = 0; t < stacks_.count(); t++) not_begun_[t] = static_cast<char*>(stacks_.top(t)) + kNotBegun;
    return hipSuccess;
}

hipError_t FibreBlock::make_loop() {
    return loop_stack_.count() || loop_stack_.reserve(1) ? hipSuccess : hipErrorOutOfMemory;
}

// Not inlined: a caller may not keep its result, or the address of the variable, on a kernel's stack.
__attribute__((noinline)) FibreBlock* FibreBlock::running() { return running_block; }

void FibreBlock::forget_threads() {
    stacks_.abandon_frames();
    loop_stack_.abandon_frames();
    suspended_at_ = nullptr;
    running_block = nullptr;
}

bool FibreBlock::run(uint64_t block) {
    run_.first_block = loop_run_.first_block = block;
    run_.last_block = loop_run_.last_block = block + 1;
    suspended_at_ = nullptr;
    running_block = this;
    if (as_loop_) {
        loop_run_.on_fibres = 0;
        cuda_shim_begin_stack(&worker_stack_, loop_stack_.top(0), loop_main, this);
    } else {
        begin_threads(0);
        if (checked_) checker_->start_block();
        cuda_shim_begin_stack(&worker_stack_, stacks_.top(0), thread_main, this);
    }
    return has_ended();
}

bool FibreBlock::resume() {
    if (checked_) checker_->resume_block();
    void* const stack_pointer = suspended_at_;
    suspended_at_ = nullptr;
    running_block = this;
    cuda_shim_switch_stack(&worker_stack_, stack_pointer, 0);
    return has_ended();
}

bool FibreBlock::has_ended() {
    running_block = nullptr;
    return !suspended_at_;
}

void FibreBlock::suspend() {
    waits_for_others_ = !has_progressed_;
    cuda_shim_switch_stack(&suspended_at_, worker_stack_, 0);
}

// Threads before `first` are done.
void FibreBlock::begin_threads(unsigned first) {
    alive_ = threads_ - first;
    phase_ = 0;
    true_predicates_[0] = true_predicates_[1] = 0;
    warp_regime_ = false;
    at_grid_barrier_[0] = at_grid_barrier_[1] = 0;
    named_.start_block();
    has_progressed_ = any_spinning_ = false;
    spin_iterations_ = kMinSpinIterations;
    std::copy(not_begun_.begin() + first, not_begun_.begin() + threads_, stack_pointer_ + first);
    spin_turns_ = 0;
    for (unsigned t = first; t < threads_; t++) {
        next_[t] = static_cast<uint16_t>(t + 1 == threads_ ? first : t + 1);
        previous_[t] = static_cast<uint16_t>(t > first ? t - 1 : threads_ - 1);
    }
    for (unsigned w = 0; w < warp_count_; w++) {
        const unsigned remaining = threads_ - first_thread_of(w);
        warps_[w].start(remaining < 1u << warp_shift_ ? remaining : 1u << warp_shift_);
    }
    for (unsigned t = 0; t < first; t++) warp_state_of(t).alive &= ~lane_bit(lane_of(t));
    current_ = first;
}

void FibreBlock::begin_fibres(unsigned thread) {
    if (make_threads() != hipSuccess) stop_kernel(hipErrorOutOfMemory, "no memory for the stacks of its threads");
    begin_threads(thread);
    loop_run_.on_fibres = 1;
}

const CudaShimKernelRun& FibreBlock::describe_run(unsigned thread) {
    auto& [run, launch] = thread_runs_[thread];
    if (launch != launch_number_) {
        launch = launch_number_;
        run = run_;
        const ThreadIndex index = index_[thread];
        const uint32_t low[3] = {index.x, index.y, index.z};
        for (int axis = 0; axis < 3; axis++) {
            run.thread_lo[axis] = low[axis];
            run.thread_hi[axis] = low[axis] + 1;
        }
    }
    run.first_block = run_.first_block;
    run.last_block = run_.last_block;
    return run;
}

// One thread of one block.
void FibreBlock::thread_main(void* block) {
    auto& self = *static_cast<FibreBlock*>(block);
    self.call_kernel(self.describe_run(self.current_));
    running()->end_thread();
}

void FibreBlock::call_kernel(const CudaShimKernelRun& run) {
    try {
        kernel_(&run);
    } catch (...) {
        stop_kernel(hipErrorLaunchFailure, "an exception left the kernel");
    }
}

// A block: all of its threads, or the threads up to the first that had to wait, which then owns this stack.
void FibreBlock::loop_main(void* block) {
    auto& self = *static_cast<FibreBlock*>(block);
    self.call_kernel(self.loop_run_);
    running()->end_loop();
}

void FibreBlock::end_loop() {
    if (loop_run_.on_fibres) end_thread();
    cuda_shim_switch_stack(&left_, worker_stack_, 0);
    __builtin_unreachable();
}

// The running thread's kernel has returned: its stack is done with.
void FibreBlock::end_thread() {
    const unsigned next = after_return(current_);
    if (alive_) {
        current_ = next;
        go_to(&left_, next, true_predicates_[phase_ ^ 1]);
    } else {
        cuda_shim_switch_stack(&left_, worker_stack_, 0);
    }
    __builtin_unreachable();
}

// Removes a thread that returned from the block; returns the thread that runs next.
unsigned FibreBlock::after_return(unsigned thread) {
    const unsigned next = next_[thread], previous = previous_[thread];
    next_[previous] = static_cast<uint16_t>(next);
    previous_[next] = static_cast<uint16_t>(previous);
    has_progressed_ = true;
    warp_state_of(thread).alive &= ~lane_bit(lane_of(thread));
    if (--alive_ == 0) return thread;
    if (__builtin_expect(named_.waiting() != 0, 0)) open_barriers_for_living(next);
    if (warp_regime_) return next_in_warp_regime(thread);
    if (next <= thread) open_barrier();  // the last of the ring: all the others have arrived
    return next;
}

inline void FibreBlock::prefetch_stack_of(unsigned thread) const {
    const char* frame = static_cast<const char*>(stack_pointer_[thread]);
    __builtin_prefetch(frame);
    __builtin_prefetch(frame + 64);
}

// Lets thread `to` run. Its barrier() returns how many passed a true predicate at the barrier that opened last: the
// one it waited for, since none opens before it has arrived there. Returns the same for `from`, when its turn comes.
inline int FibreBlock::switch_from(unsigned from, unsigned to) {
    current_ = to;
    prefetch_stack_of(next_[to]);  // its frame is in the cache by the time it runs
    const int predicates = true_predicates_[phase_ ^ 1];
    return from == to ? predicates : go_to(&stack_pointer_[from], to, predicates);
}

// Goes on with a thread, or begins it.
inline int FibreBlock::go_to(void** save, unsigned thread, int predicates) {
    char* const pointer = static_cast<char*>(stack_pointer_[thread]);
    if (__builtin_expect(!(reinterpret_cast<uintptr_t>(pointer) & kNotBegun), 1))
        return cuda_shim_switch_stack(save, pointer, predicates);
    return cuda_shim_begin_stack(save, pointer - kNotBegun, thread_main, this);
}

// All threads have arrived: predicates counted from now on belong to the next barrier.
inline void FibreBlock::open_barrier() {
    passed_barrier_ = alive_;
    phase_ ^= 1;
    true_predicates_[phase_] = 0;
}

// Every path ends in the switch, so that a waiting thread keeps as little as can be on its stack.
int FibreBlock::barrier(bool predicate) {
    const unsigned thread = current_;
    true_predicates_[phase_] += predicate;
    if (__builtin_expect(warp_regime_, 0)) return barrier_in_warp_regime(thread);
    const unsigned next = next_[thread];
    if (next <= thread) open_barrier();  // the ring is in thread order, so this one was the last to arrive
    return switch_from(thread, next);
}

__attribute__((noinline)) int FibreBlock::barrier_in_warp_regime(unsigned thread) {
    warp_state_of(thread).at_barrier |= lane_bit(lane_of(thread));
    has_progressed_ = true;
    return switch_from(thread, next_in_warp_regime(thread));
}

// In the ring, the threads before `thread` have arrived at the barrier and the threads after it have still to run.
void FibreBlock::enter_warp_regime(unsigned thread) {
    warp_regime_ = true;
    const unsigned warp = warp_of(thread), lane = lane_of(thread);
    for (unsigned w = 0; w < warp_count_; w++) {
        WarpState& state = warps_[w];
        state.at_barrier = w < warp ? state.alive : w > warp ? 0 : state.alive & lanes_below(lane);
    }
}

// A thread of the warp regime that can run, -1 when there is none. The warp of `thread` goes first, upwards; a warp
// that cannot run completes its exchanges.
int FibreBlock::find_ready(unsigned thread, bool patient) {
    unsigned warp = warp_of(thread);
    LaneMask preferred = lanes_above(lane_of(thread));
    for (unsigned looked_at = 0; looked_at <= warp_count_; looked_at++) {
        WarpState& state = warps_[warp];
        if (!state.ready() && state.at_exchange && !state.complete_exchanges(patient) && !any_spinning_) {
            stop_kernel(hipErrorLaunchFailure,
                        "deadlock: a warp operation names lanes that wait at a barrier or elsewhere");
        }
        if (const LaneMask ready = state.ready()) {
            const LaneMask above = ready & preferred;
            return static_cast<int>(first_thread_of(warp) + lowest_lane(above ? above : ready));
        }
        warp = warp + 1 == warp_count_ ? 0 : warp + 1;
        preferred = ~LaneMask{0};
    }
    return -1;
}

// Returns the thread that runs after `thread`, which waits or has returned. When every warp is at the barrier, the
// barrier opens and the ring is restored. Spinning threads run again when no other thread can; if no thread has
// progressed since their last turn, or they had many turns, the worker has its turn first.
unsigned FibreBlock::next_in_warp_regime(unsigned thread) {
    for (;;) {
        int ready = find_ready(thread, true);
        if (ready >= 0) return static_cast<unsigned>(ready);
        if (!any_spinning_) break;
        if (has_progressed_ && ++spin_turns_ < kMaxSpinTurns) {
            spin_iterations_ = kMinSpinIterations;
        } else {
            ready = has_progressed_ ? -1 : find_ready(thread, false);
            if (ready >= 0) return static_cast<unsigned>(ready);
            spin_iterations_ = std::min(2 * spin_iterations_, kMaxSpinIterations);
            spin_turns_ = 0;
            suspend();
        }
        has_progressed_ = any_spinning_ = false;
        for (unsigned w = 0; w < warp_count_; w++) warps_[w].spinning = 0;
    }
    warp_regime_ = false;
    open_barrier();
    unsigned first = 0;
    while (!warps_[first].alive) first++;
    return first_thread_of(first) + lowest_lane(warps_[first].alive);
}

const uint64_t* FibreBlock::exchange(uint64_t value, LaneMask mask, const void* site, LaneMask* took_part) {
    const unsigned thread = current_, lane = lane_of(thread);
    if (__builtin_expect(!warp_regime_, 0)) enter_warp_regime(thread);
    WarpState& warp = warp_state_of(thread);
    has_progressed_ = true;
    warp.arrive(lane, value, mask, site);
    const LaneMask later = warp.ready() & lanes_above(lane);
    switch_from(thread, later ? first_thread_of(warp_of(thread)) + lowest_lane(later) : next_in_warp_regime(thread));
    *took_part = warp.group_of(lane) & mask;
    return warp.values();
}

// Warps arrive as a whole: lanes that the last warp of a block lacks are counted with its last one. PTX counts by 32.
unsigned FibreBlock::weight_of(unsigned thread) const {
    return thread + 1 == threads_ ? (threads_ + 31) / 32 * 32 - threads_ + 1 : 1;
}

unsigned FibreBlock::named_barrier(const NamedArrival& arrival) {
    const unsigned thread = current_;
    has_progressed_ = true;
    named_.arrive(arrival, thread, weight_of(thread));
    const bool for_all = arrival.count == NamedArrival::kAllThreads;
    if (for_all ? all_arrived(arrival.number, thread) : named_.arrived(arrival.number) >= arrival.count)
        open_named_barrier(arrival.number);
    while (named_.waits(thread)) {
        if (all_wait_at_barriers()) {
            stop_kernel(hipErrorLaunchFailure, "deadlock: all threads of the block wait at barriers with a number");
        }
        spin();
    }
    return arrival.waits ? named_.predicate_count(thread) : 0;
}

// True if all threads that have not returned, `alive` among them, have come.
bool FibreBlock::all_arrived(unsigned number, unsigned alive) const {
    if (named_.arrived_threads(number) < alive_) return false;
    unsigned thread = alive;
    do {
        if (!named_.has_arrived(number, thread)) return false;
        thread = next_[thread];
    } while (thread != alive);
    return true;
}

// Opens barriers that wait for all living threads, after one has returned; `alive` is one that has not.
void FibreBlock::open_barriers_for_living(unsigned alive) {
    for (unsigned number = 0; number < kNamedBarriers; number++)
        if (named_.waits_for_all(number) && all_arrived(number, alive)) open_named_barrier(number);
}

void FibreBlock::open_named_barrier(unsigned number) {
    const std::vector<uint16_t>& freed = named_.open(number);
    if (checked_) checker_->open_named_barrier(number, freed);
}

bool FibreBlock::all_wait_at_barriers() const {
    unsigned waiting = named_.waiting();
    for (unsigned w = 0; w < warp_count_ && warp_regime_; w++)
        waiting += static_cast<unsigned>(__builtin_popcountll(warps_[w].alive & warps_[w].at_barrier));
    return waiting == alive_;
}

void FibreBlock::grid_barrier(GridBarrier& grid) {
    unsigned& arrived = at_grid_barrier_[phase_];
    arrived++;
    barrier(false);
    if (!arrived) return;  // another thread went on first and waited for the block
    if (arrived < passed_barrier_) {
        stop_kernel(hipErrorLaunchFailure, "deadlock: some threads of the block wait for the grid, others do not");
    }
    arrived = 0;
    if (!grid.wait()) stop_kernel_quietly();
}

int FibreBlock::spin() {
    const unsigned thread = current_;
    if (!warp_regime_) enter_warp_regime(thread);
    any_spinning_ = true;
    warp_state_of(thread).spinning |= lane_bit(lane_of(thread));
    switch_from(thread, next_in_warp_regime(thread));
    return spin_iterations_;
}

std::string FibreBlock::describe_thread(unsigned thread) const {
    const ThreadIndex& index = index_[thread];
    return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

std::string FibreBlock::describe_block(uint64_t block) const {
    const uint64_t x = run_.grid[0], y = run_.grid[1];
    return "(" + std::to_string(block % x) + "," + std::to_string(block / x % y) + "," + std::to_string(block / x / y) +
           ")";
}

}  // namespace cuda_shim
