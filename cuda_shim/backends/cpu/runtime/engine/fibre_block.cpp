#include "engine/fibre_block.h"

#include "common/settings.h"
#include "engine/access_checker.h"
#include "engine/context_switch.h"
#include "engine/faults.h"
#include "engine/grid_barrier.h"
#include "engine/loaded_module.h"

namespace cuda_shim {

FibreBlock::FibreBlock() : warp_shift_(settings().warp_size == 64 ? 6 : 5) {}
FibreBlock::~FibreBlock() = default;

hipError_t FibreBlock::prepare(const KernelLaunch& launch, void* dynamic_shared, void* grid_scheduler) {
    const auto threads = static_cast<unsigned>(launch.block.count());
    if (stacks_.count() < threads) {
        // Most launches stay below 256 threads; those that do not get the largest block's room at once.
        if (!stacks_.reserve(threads <= 256 ? 256 : kMaxThreadsPerBlock)) return hipErrorOutOfMemory;
        made_ = 0;
    }
    launch_number_++;
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

    if (threads_ != threads || block_.x != launch.block.x || block_.y != launch.block.y) {
        block_ = launch.block;
        threads_ = threads;
        warp_count_ = ((threads - 1) >> warp_shift_) + 1;
        for (unsigned t = 0; t < threads; t++) {
            index_[t] = {static_cast<uint16_t>(t % block_.x), static_cast<uint16_t>(t / block_.x % block_.y),
                         static_cast<uint16_t>(t / block_.x / block_.y)};
        }
    }
    make_threads(threads);
    prepare_checks(launch, dynamic_shared);
    return hipSuccess;
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

void FibreBlock::make_threads(unsigned count) {
    for (; made_ < count; made_++) stack_pointer_[made_] = prepare_stack(stacks_.top(made_), thread_main, this);
}

void FibreBlock::forget_threads() {
    stacks_.abandon_frames();
    made_ = 0;
}

void FibreBlock::run(uint64_t block) {
    run_.first_block = block;
    run_.last_block = block + 1;
    alive_ = threads_;
    phase_ = 0;
    true_predicates_[0] = true_predicates_[1] = 0;
    warp_regime_ = false;
    at_grid_barrier_[0] = at_grid_barrier_[1] = 0;
    for (unsigned t = 0; t < threads_; t++) {
        next_[t] = static_cast<uint16_t>(t + 1 == threads_ ? 0 : t + 1);
        previous_[t] = static_cast<uint16_t>(t ? t - 1 : threads_ - 1);
    }
    for (unsigned w = 0; w < warp_count_; w++) {
        const unsigned left = threads_ - first_thread_of(w);
        warps_[w].start(left < 1u << warp_shift_ ? left : 1u << warp_shift_);
    }
    current_ = 0;
    if (checked_) checker_->start_block();
    cuda_shim_switch_stack(&worker_stack_, stack_pointer_[0], 0);
}

CudaShimKernelRun FibreBlock::describe_run(unsigned thread) const {
    CudaShimKernelRun run = run_;
    const ThreadIndex index = index_[thread];
    const uint32_t low[3] = {index.x, index.y, index.z};
    for (int axis = 0; axis < 3; axis++) {
        run.thread_lo[axis] = low[axis];
        run.thread_hi[axis] = low[axis] + 1;
    }
    return run;
}

void FibreBlock::thread_main(void* block) { static_cast<FibreBlock*>(block)->live(); }

// A fibre lives as long as its worker's stacks: each turn of the loop is one thread of one block.
void FibreBlock::live() {
    const unsigned thread = current_;
    CudaShimKernelRun mine;
    uint64_t described = 0;  // the launch that `mine` is for
    for (;;) {
        if (described != launch_number_) {
            described = launch_number_;
            mine = describe_run(thread);
        }
        mine.first_block = run_.first_block;
        mine.last_block = run_.last_block;
        try {
            kernel_(&mine);
        } catch (...) {
            stop_kernel(hipErrorLaunchFailure, "an exception left the kernel");
        }
        const unsigned next = after_return(thread);
        if (alive_) {
            switch_from(thread, next);
        } else {
            cuda_shim_switch_stack(&stack_pointer_[thread], worker_stack_, 0);
        }
    }
}

// Takes a thread that returned out of the block; which thread runs next.
unsigned FibreBlock::after_return(unsigned thread) {
    const unsigned next = next_[thread], previous = previous_[thread];
    next_[previous] = static_cast<uint16_t>(next);
    previous_[next] = static_cast<uint16_t>(previous);
    warp_state_of(thread).alive &= ~lane_bit(lane_of(thread));
    if (--alive_ == 0) return thread;
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
    prefetch_stack_of(next_[to]);  // by the time that one runs, its frame is here
    const int counted = true_predicates_[phase_ ^ 1];
    return from == to ? counted : cuda_shim_switch_stack(&stack_pointer_[from], stack_pointer_[to], counted);
}

// Everybody has arrived: what is counted from now on belongs to the next barrier.
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
    return switch_from(thread, next_in_warp_regime(thread));
}

// In the ring, those before `thread` have arrived at the barrier and those after it have still to run.
void FibreBlock::enter_warp_regime(unsigned thread) {
    warp_regime_ = true;
    const unsigned warp = warp_of(thread), lane = lane_of(thread);
    for (unsigned w = 0; w < warp_count_; w++) {
        WarpState& state = warps_[w];
        state.at_barrier = w < warp ? state.alive : w > warp ? 0 : state.alive & lanes_below(lane);
    }
}

// `thread` waits or returned: which thread of the block runs next. Its own warp goes first, upwards; a warp that
// cannot run completes its exchanges; when every warp is at the barrier it opens, and the ring is back.
unsigned FibreBlock::next_in_warp_regime(unsigned thread) {
    unsigned warp = warp_of(thread);
    LaneMask preferred = lanes_above(lane_of(thread));
    for (unsigned looked_at = 0; looked_at <= warp_count_; looked_at++) {
        WarpState& state = warps_[warp];
        if (!state.ready() && state.at_exchange && !state.complete_exchanges()) {
            stop_kernel(hipErrorLaunchFailure,
                        "deadlock: a warp operation names lanes that wait at a barrier or elsewhere");
        }
        if (const LaneMask ready = state.ready()) {
            const LaneMask above = ready & preferred;
            return first_thread_of(warp) + lowest_lane(above ? above : ready);
        }
        warp = warp + 1 == warp_count_ ? 0 : warp + 1;
        preferred = ~LaneMask{0};
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
    warp.arrive(lane, value, mask, site);
    const LaneMask later = warp.ready() & lanes_above(lane);
    switch_from(thread, later ? first_thread_of(warp_of(thread)) + lowest_lane(later) : next_in_warp_regime(thread));
    *took_part = warp.group_of(lane) & mask;
    return warp.values();
}

void FibreBlock::grid_barrier(GridBarrier& grid) {
    unsigned& arrived = at_grid_barrier_[phase_];
    arrived++;
    barrier(false);
    if (!arrived) return;  // another thread came back first and spoke for the block
    if (arrived < passed_barrier_) {
        stop_kernel(hipErrorLaunchFailure, "deadlock: some threads of the block wait for the grid, others do not");
    }
    arrived = 0;
    if (!grid.wait()) stop_kernel_quietly();
}

std::string FibreBlock::describe_thread(unsigned thread) const {
    const ThreadIndex& index = index_[thread];
    return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

}  // namespace cuda_shim
