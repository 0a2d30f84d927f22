// One block whose threads run as fibres: each thread has its own stack, and a thread that waits gives the worker
// to another thread of the block.
//
// Two regimes. In the *ring*, threads that have only met block barriers follow each other in thread order; going to the
// next in the ring is the barrier, for control comes back only after all other threads arrived or returned. The first
// warp operation enters the *warp regime*, where each warp records the reasons why its lanes wait; it ends when the
// next block barrier opens. A thread that waits for memory begins the warp regime too: it is passed over until no other
// thread of the block can run. When all threads wait, the block is left on its stacks, for others to run.
//
// A block may also begin as a loop over its threads, on one stack. When a thread of the loop has to wait, that stack
// becomes its own, and the threads behind it get theirs.
//
// A kernel may overwrite its stack, so nothing else is kept there: each thread begins on an empty stack, and once its
// kernel has returned, the block is found through the host thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/kernel_module.h"
#include "engine/kernel_stacks.h"
#include "engine/kernel.h"
#include "engine/memory_lookup.h"
#include "engine/named_barriers.h"
#include "engine/warp_state.h"

namespace cuda_shim {

class AccessChecker;

class FibreBlock {
public:
    FibreBlock();
    ~FibreBlock();
    FibreBlock(const FibreBlock&) = delete;
    FibreBlock& operator=(const FibreBlock&) = delete;

    // Gets ready for blocks of `launch`; hipErrorOutOfMemory when there is no room for their stacks.
    // `as_loop`: they begin as loops over their threads.
    hipError_t prepare(const KernelLaunch& launch, bool as_loop, void* dynamic_shared, void* grid_scheduler);
    // Runs one block; false when it is left because all of its threads wait for others than themselves.
    bool run(uint64_t block);
    // Goes on with the block that was left, likewise.
    bool resume();
    // After a fault the suspended threads are in the middle of their code: the next block gets new fibres.
    void forget_threads();

    // --- for the running thread of the block
    // Waits for all living threads; returns how many of them passed a true predicate.
    int barrier(bool predicate);
    // `site` distinguishes calls for lanes that name no mask.
    const uint64_t* exchange(uint64_t value, LaneMask mask, const void* site, LaneMask* took_part);
    // Arrives at a named barrier; returns the number of threads that passed a true predicate there, 0 where the thread
    // only arrives.
    unsigned named_barrier(const NamedArrival& arrival);
    // Waits for all blocks of a cooperative launch.
    void grid_barrier(class GridBarrier& grid);
    // Lets others run; returns after how many rounds of its loop the thread may call again.
    int spin();
    // Gives the threads from `thread` on, which is about to wait, their own stacks, in a block that runs as a loop.
    void begin_fibres(unsigned thread);

    // The checker of the block's threads; null when the launch is not checked.
    AccessChecker* checker() const { return checked_ ? checker_.get() : nullptr; }
    // The descriptions that the threads' kernels read.
    MemoryRange descriptions() const {
        return {reinterpret_cast<uintptr_t>(thread_runs_.data()), thread_runs_.size() * sizeof(ThreadRun), true, false};
    }
    unsigned current_thread() const { return current_; }
    // In a loop over them, only the kernel knows.
    bool knows_current_thread() const { return !as_loop_ || loop_run_.on_fibres; }
    unsigned thread_count() const { return threads_; }
    // True if all other threads have returned.
    bool is_last_thread() const { return alive_ == 1; }
    // True if the block was left since its threads waited for others, not since they polled while they progressed.
    bool waits_for_others() const { return waits_for_others_; }
    std::string describe_thread(unsigned thread) const;
    // The first thread of a thread's warp, and the lanes of the warp that have not returned.
    unsigned first_lane_of_warp(unsigned thread) const { return first_thread_of(warp_of(thread)); }
    LaneMask living_lanes(unsigned thread) const { return warps_[warp_of(thread)].alive; }
    Extent3 index_of_thread(unsigned thread) const { return {index_[thread].x, index_[thread].y, index_[thread].z}; }
    // The linear index of the block that runs, and any block's as programs have it.
    uint64_t block() const { return run_.first_block; }
    std::string describe_block(uint64_t block) const;
    bool is_on_stacks(uintptr_t address) const { return stacks_.contains(address) || loop_stack_.contains(address); }
    // The address where the running thread's stack starts.
    uintptr_t stack_limit() const { return reinterpret_cast<uintptr_t>(stacks_.top(current_)); }
    // True if an address is on the running thread's own stack.
    bool is_on_own_stack(uintptr_t address) const {
        return address >= stacks_.bottom(current_) && address < stack_limit();
    }
    // True if a fault is that of a thread's stack without room for its frames.
    bool is_overflow(uintptr_t address, uintptr_t stack_pointer) const {
        return stacks_.is_overflow(address, stack_pointer) || loop_stack_.is_overflow(address, stack_pointer);
    }
    // The block that the calling host thread runs, null outside of one.
    static FibreBlock* running();

private:
    struct ThreadIndex {
        uint16_t x, y, z;
    };
    struct ThreadRun {
        CudaShimKernelRun run = {};
        uint64_t launch = 0;  // the launch that `run` is for
    };

    void prepare_checks(const KernelLaunch& launch, void* dynamic_shared);
    static void thread_main(void* block);
    static void loop_main(void* block);
    void call_kernel(const CudaShimKernelRun& run);
    [[noreturn]] void end_thread();
    [[noreturn]] void end_loop();
    const CudaShimKernelRun& describe_run(unsigned thread);
    hipError_t make_threads();
    hipError_t make_loop();
    void begin_threads(unsigned first);
    bool has_ended();
    int go_to(void** save, unsigned thread, int predicates);
    void suspend();
    int find_ready(unsigned thread, bool patient);
    int switch_from(unsigned from, unsigned to);
    void prefetch_stack_of(unsigned thread) const;
    void open_barrier();
    int barrier_in_warp_regime(unsigned thread);
    void enter_warp_regime(unsigned thread);
    unsigned next_in_warp_regime(unsigned thread);
    unsigned weight_of(unsigned thread) const;
    bool all_arrived(unsigned number, unsigned alive) const;
    void open_barriers_for_living(unsigned alive);
    void open_named_barrier(unsigned number);
    bool all_wait_at_barriers() const;
    unsigned after_return(unsigned thread);

    unsigned lane_of(unsigned thread) const { return thread & ((1u << warp_shift_) - 1); }
    unsigned warp_of(unsigned thread) const { return thread >> warp_shift_; }
    unsigned first_thread_of(unsigned warp) const { return warp << warp_shift_; }
    WarpState& warp_state_of(unsigned thread) { return warps_[warp_of(thread)]; }

    // The members that every barrier touches come first, in as few cache lines as possible.
    unsigned current_ = 0;
    bool warp_regime_ = false;
    unsigned phase_ = 0;  // parity of barriers opened: which of the two counts is being filled
    int true_predicates_[2] = {0, 0};
    unsigned alive_ = 0;
    void* stack_pointer_[kMaxThreadsPerBlock];  // with kNotBegun: where its stack begins
    uint16_t next_[kMaxThreadsPerBlock];        // the ring of living threads, in thread order
    uint16_t previous_[kMaxThreadsPerBlock];

    void* worker_stack_ = nullptr;
    unsigned threads_ = 0;
    unsigned warp_count_ = 0;
    unsigned warp_shift_;
    void* left_ = nullptr;                  // stack pointer of what is not returned to
    void* suspended_at_ = nullptr;          // stack pointer of the block that was left
    bool any_spinning_ = false;             // a thread spins and is passed over for now
    bool has_progressed_ = false;           // a thread did more than spin since all had a turn
    int spin_iterations_ = 0;               // the result of spin()
    bool waits_for_others_ = false;         // no thread had progressed when the block was left
    int spin_turns_ = 0;                    // turns that spinning threads had since the block was left
    unsigned at_grid_barrier_[2] = {0, 0};  // by phase, as the predicates
    unsigned passed_barrier_ = 0;           // threads that the last barrier let go
    uint64_t launch_number_ = 0;
    CudaShimKernelRun run_ = {};
    std::vector<void*> not_begun_;  // each thread's stack pointer before it begins
    // Each thread's own, which its kernel may read all the time: no array on its stack leads here.
    std::vector<ThreadRun> thread_runs_;
    void (*kernel_)(const CudaShimKernelRun*) = nullptr;
    bool checked_ = false;
    std::unique_ptr<AccessChecker> checker_;
    NamedBarriers named_;
    Extent3 block_;
    ThreadIndex index_[kMaxThreadsPerBlock];
    WarpState warps_[kMaxThreadsPerBlock / 32];
    KernelStacks stacks_{fibre_stack_bytes()};

    // For blocks that begin as a loop.
    bool as_loop_ = false;
    CudaShimKernelRun loop_run_ = {};
    KernelStacks loop_stack_;
};

}  // namespace cuda_shim
