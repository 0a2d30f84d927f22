// Running a grid: which execution mode, on how many threads, in chunks of which size.
#include <algorithm>
#include <atomic>
#include <exception>

#include "common/settings.h"
#include "engine/block_runner.h"
#include "engine/clock.h"
#include "engine/faults.h"
#include "engine/global_shadow.h"
#include "engine/loaded_module.h"
#include "engine/running_kernels.h"
#include "engine/thread_pool.h"

namespace cuda_shim {
namespace {

// Below this much work, waking another thread costs more than it brings; each thread gets at least as much.
constexpr uint64_t kAloneNanoseconds = 20'000;
// Estimates of less work than this are alike: such a launch runs alone.
constexpr uint64_t kNextToNothing = 2'000;
// A chunk is long enough to make taking it cheap and short enough to share the end of the grid evenly.
constexpr uint64_t kChunkNanoseconds = 50'000;
class GridRun {
public:
    explicit GridRun(const KernelLaunch& launch)
        : launch_(launch),
          mode_(choose_execution_mode(*launch.kernel)),
          running_(launch_, mode_),
          blocks_(launch.grid.count()),
          estimate_(launch.kernel->nanoseconds_per_block.load(std::memory_order_relaxed)) {
        launch_.running = &running_;
    }

    hipError_t run();

private:
    static void share_body(void* self, SharedWork& work) noexcept;
    void start_alone();
    void take_part(SharedWork& work);
    void run_with_others();
    void keep_estimate();

    KernelLaunch launch_;
    const ExecutionMode mode_;
    RunningKernel running_;
    const uint64_t blocks_;
    uint64_t estimate_;  // nanoseconds a block; 0 when unknown
    uint64_t blocks_done_alone_ = 0;
    std::atomic<uint64_t> busy_{0};  // nanoseconds of all threads that took part
    FirstFault fault_;
};

// Runs blocks on the calling thread until they are done or turn out to be worth sharing. Starts small and grows, since
// times measured in earlier launches need not hold for this one's arguments.
void GridRun::start_alone() {
    running_.workers.store(1, std::memory_order_relaxed);
    BlockRunner runner(launch_, mode_, estimate_, nullptr);
    const bool may_share = worker_count() > 1;
    const uint64_t start = nanoseconds();
    struct Body {
        GridRun& self;
        BlockRunner& runner;
        bool may_share;
        uint64_t start;
    } body{*this, runner, may_share, start};
    const bool finished = runner.run_protected(
        [](void* argument) {
            auto& [self, block_runner, share, since] = *static_cast<Body*>(argument);
            uint64_t piece = share ? std::max<uint64_t>(1, self.blocks_ / 8) : self.blocks_;
            while (self.blocks_done_alone_ < self.blocks_) {
                const uint64_t last = std::min(self.blocks_, self.blocks_done_alone_ + piece);
                block_runner.run(self.blocks_done_alone_, last);
                self.blocks_done_alone_ = last;
                if (share && last < self.blocks_ && !block_runner.any_set_aside() &&
                    nanoseconds() - since > kAloneNanoseconds) {
                    break;
                }
                piece *= 2;
            }
            block_runner.finish();
        },
        &body);
    busy_ = nanoseconds() - start;
    if (!finished) {
        fault_.record(runner.frame());
    } else if (blocks_done_alone_ < blocks_) {
        estimate_ = busy_ / blocks_done_alone_ + 1;
    }
}

void GridRun::share_body(void* self, SharedWork& work) noexcept {
    auto& run = *static_cast<GridRun*>(self);
    try {
        run.take_part(work);
    } catch (const std::exception&) {  // as in run_kernel
        work.stop();
        run.running_.stop(StopReason::Fault);
        run.fault_.record(out_of_memory(run.launch_));
    }
}

void GridRun::take_part(SharedWork& work) {
    const uint64_t start = nanoseconds();
    running_.workers.fetch_add(1, std::memory_order_relaxed);
    BlockRunner runner(launch_, mode_, estimate_, nullptr);
    struct Body {
        GridRun& self;
        BlockRunner& runner;
        SharedWork& work;
        uint64_t start;
    } body{*this, runner, work, start};
    const bool finished = runner.run_protected(
        [](void* argument) {
            auto& [self, block_runner, shared, since] = *static_cast<Body*>(argument);
            bool is_short = shared.first_helpers < shared.max_helpers;
            uint64_t first, last;
            while (shared.take(first, last)) {
                block_runner.run(self.blocks_done_alone_ + first, self.blocks_done_alone_ + last);
                // Times measured in earlier launches need not hold for this one's arguments.
                if (!is_short || nanoseconds() - since < 2 * kAloneNanoseconds) continue;
                admit_all(shared);
                is_short = false;
            }
            block_runner.finish();
        },
        &body);
    if (!finished) {
        work.stop();
        fault_.record(runner.frame());
        running_.stop(StopReason::Fault);
    }
    running_.workers.fetch_sub(1, std::memory_order_relaxed);
    busy_.fetch_add(nanoseconds() - start, std::memory_order_relaxed);
}

void GridRun::run_with_others() {
    const uint64_t remaining = blocks_ - blocks_done_alone_;
    const uint64_t threads =
        estimate_ ? std::clamp<uint64_t>(remaining * estimate_ / kAloneNanoseconds, 2, worker_count()) : worker_count();
    const uint64_t even_chunk = remaining / (threads * 8);
    const uint64_t timely_chunk = kChunkNanoseconds / std::max<uint64_t>(1, estimate_) + 1;
    const uint64_t chunk =
        std::max<uint64_t>(1, launch_.kernel->symbol.whole_runs ? even_chunk : std::min(even_chunk, timely_chunk));
    running_.workers.store(0, std::memory_order_relaxed);
    SharedWork work(share_body, this, remaining, chunk);
    if (threads < worker_count()) work.first_helpers = static_cast<uint32_t>(threads - 1);
    run_shared(work);
}

// Threads that launch the same kernel share the line of the estimate: it is written only where it would change a
// decision.
void GridRun::keep_estimate() {
    std::atomic<uint64_t>& kept = launch_.kernel->nanoseconds_per_block;
    const uint64_t measured = busy_ / blocks_ + 1, before = kept.load(std::memory_order_relaxed);
    const uint64_t difference = measured > before ? measured - before : before - measured;
    const bool is_like_before =
        before && (difference < before / 4 || std::max(measured, before) * blocks_ < kNextToNothing);
    if (!is_like_before) kept.store(measured, std::memory_order_relaxed);
}

hipError_t GridRun::run() {
    const bool maybe_long = estimate_ == 0 || estimate_ > kAloneNanoseconds / blocks_;
    if (!maybe_long || blocks_ == 1 || worker_count() == 1) start_alone();
    if (fault_.none() && blocks_done_alone_ < blocks_) run_with_others();
    if (!fault_.none()) return fault_.error();
    if (running_.stopped() != StopReason::None) return running_.error_of_stop();
    keep_estimate();
    return hipSuccess;
}

}  // namespace

hipError_t run_kernel(const KernelLaunch& launch) noexcept {
    try {
        if (settings().check && !(launch.kernel->module && launch.kernel->module->is_checked())) trust_all_memory();
        if (launch.cooperative) return run_cooperative(launch);
        if (launch.cluster.count() > 1) return run_clusters(launch);
        GridRun grid(launch);
        return grid.run();
    } catch (const std::exception&) {  // the engine throws std::bad_alloc and, from locks, std::system_error
        return hipErrorOutOfMemory;
    }
}

}  // namespace cuda_shim
