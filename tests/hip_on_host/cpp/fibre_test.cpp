// Barriers, votes and warp operations of blocks that run on fibres.
#include <atomic>
#include <string>

#include "check.h"
#include "kernels.h"

namespace {

constexpr uint32_t kWarp = 32;

// A launch whose kernel is a lambda (thread, run) and whose argument 0 is a pointer to `data`.
template <class Data>
hipError_t run_threads(void (*body)(const CudaShimKernelRun*), Data* data, uint32_t threads, uint32_t blocks = 1) {
    void* args[] = {&data};
    TestKernel kernel("fibres", body, true);
    return kernel.run({blocks, 1, 1}, {threads, 1, 1}, args);
}

uint32_t thread_of(const CudaShimKernelRun* run) { return run->thread_lo[0]; }

__attribute__((always_inline)) inline uint64_t exchange(const CudaShimKernelRun* run, uint64_t value, uint64_t mask,
                                                        uint32_t lane, uint64_t* active) {
    const uint64_t* values = cuda_shim::runtime_services().warp_exchange(run->block_scheduler, run->thread_lo[0], value,
                                                                        mask, active);
    return values[lane];
}

// Two calls that no compiler can merge, as their values differ: compilers join equal calls of two branches.
__attribute__((noinline)) uint64_t exchange_here(const CudaShimKernelRun* run, uint64_t mask) {
    uint64_t active;
    exchange(run, 1, mask, 0, &active);
    return active;
}
__attribute__((noinline)) uint64_t exchange_there(const CudaShimKernelRun* run, uint64_t mask) {
    uint64_t active;
    exchange(run, 2, mask, 0, &active);
    return active;
}

}  // namespace

CASE(a_barrier_separates_what_comes_before_from_what_comes_after) {
    static int written[3][1024];
    static std::atomic<int> wrong;
    wrong = 0;
    for (uint32_t threads : {1u, 2u, 31u, 33u, 1024u}) {
        CHECK(run_threads([](const CudaShimKernelRun* run) {
            const uint32_t t = thread_of(run), n = run->block[0];
            int* shared = written[run->first_block];
            for (int round = 0; round < 20; round++) {
                shared[t] = round * 1000 + static_cast<int>(t);
                block_barrier(run);
                const uint32_t other = (t * 7 + 3) % n;
                wrong += shared[other] != round * 1000 + static_cast<int>(other);
                block_barrier(run);
            }
        }, &wrong, threads, 3) == hipSuccess);
    }
    CHECK(wrong == 0);
}

CASE(barriers_count_true_predicates) {
    static std::atomic<int> wrong;
    wrong = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint32_t t = thread_of(run);
        wrong += block_barrier(run, t % 3 == 0) != 34;
        wrong += block_barrier(run, 0) != 0;
        wrong += block_barrier(run, 7) != 100;  // any true value counts once
        for (int i = 0; i < 100; i++) wrong += block_barrier(run, static_cast<int>(t) < i) != i;
    }, &wrong, 100, 4) == hipSuccess);
    CHECK(wrong == 0);
}

CASE(threads_that_returned_hold_nobody_up) {
    static std::atomic<int> counts[8];
    for (auto& count : counts) count = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint32_t t = thread_of(run);
        for (uint32_t round = 0; round < 8; round++) {
            if (t % 8 == round) return;
            counts[round] = block_barrier(run, 1);
        }
    }, counts, 64) == hipSuccess);
    for (int round = 0; round < 7; round++) CHECK(counts[round] == 64 - 8 * (round + 1));
}

CASE(barriers_in_different_branches_meet) {
    static std::atomic<int> sum;
    sum = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        if (thread_of(run) % 2) {
            block_barrier(run);
            sum++;
        } else {
            sum++;
            block_barrier(run);
        }
    }, &sum, 64) == hipSuccess);
    CHECK(sum == 64);
}

CASE(lanes_exchange_values) {
    static std::atomic<int> wrong;
    wrong = 0;
    for (uint32_t threads : {1u, 5u, 32u, 40u, 1024u}) {
        CHECK(run_threads([](const CudaShimKernelRun* run) {
            const uint32_t t = thread_of(run), n = run->block[0], lane = t % kWarp, base = t - lane;
            const uint32_t lanes = n - base < kWarp ? n - base : kWarp;
            const uint64_t everyone = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
            for (uint32_t step = 0; step < 10; step++) {
                uint64_t active;
                const uint32_t from = (lane + step) % lanes;
                wrong += exchange(run, t * 100 + step, 0xffffffff, from, &active) != (base + from) * 100 + step;
                wrong += active != everyone;
                if (step % 3 == 0) block_barrier(run);
            }
        }, &wrong, threads, 2) == hipSuccess);
    }
    CHECK(wrong == 0);
}

CASE(lanes_that_name_nobody_exchange_with_those_at_the_same_call) {
    static std::atomic<uint64_t> active[32];
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint32_t t = thread_of(run);
        active[t] = t < 10 ? exchange_here(run, ~0ull) : exchange_there(run, ~0ull);
    }, active, 32) == hipSuccess);
    for (uint32_t t = 0; t < 32; t++) CHECK(active[t] == (t < 10 ? 0x3ffu : 0xfffffc00u));
}

CASE(lanes_that_name_each_other_meet_from_different_calls) {
    static std::atomic<int> wrong;
    wrong = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint64_t active = thread_of(run) % 2 ? exchange_here(run, 0xffffffff) : exchange_there(run, 0xffffffff);
        wrong += active != 0xffffffff;
    }, &wrong, 32) == hipSuccess);
    CHECK(wrong == 0);
}

CASE(groups_with_their_own_masks_go_at_their_own_pace) {
    static std::atomic<int> wrong;
    wrong = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint32_t t = thread_of(run), group = t / 8;
        const uint64_t mask = 0xffull << (group * 8);
        // Group g makes g + 1 exchanges, then all groups meet.
        for (uint32_t step = 0; step <= group; step++) {
            uint64_t active;
            const uint32_t from = group * 8 + (t + step) % 8;
            wrong += exchange(run, t * 10 + step, mask, from, &active) != from * 10 + step || active != mask;
        }
        uint64_t active;
        wrong += exchange(run, t, 0xffffffff, 31 - t, &active) != 31 - t || active != 0xffffffff;
    }, &wrong, 32) == hipSuccess);
    CHECK(wrong == 0);
}

CASE(a_named_warp_goes_on_without_lanes_that_left_or_wait) {
    static std::atomic<int> wrong;
    wrong = 0;
    // A block reduction's last step: eight lanes name the whole warp while the others are at the barrier.
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint32_t t = thread_of(run);
        if (t < 8) {
            uint64_t active;
            wrong += exchange(run, t, 0xffffffff, 7 - t, &active) != 7 - t || active != 0xff;
        }
        block_barrier(run);
        if (t >= 40) return;
        uint64_t active;
        exchange(run, t, 0xffffffff, 0, &active);
        wrong += active != (t < 32 ? 0xffffffffu : 0xffu);
    }, &wrong, 64) == hipSuccess);
    CHECK(wrong == 0);
}

CASE(a_warp_operation_that_waits_for_lanes_at_a_barrier_is_a_launch_failure) {
    static int nothing;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        const uint32_t t = thread_of(run);
        uint64_t active;
        if (t < 16) exchange(run, 0, 0x00ffffff, 0, &active);  // lanes 16 to 23 never come
        block_barrier(run);
    }, &nothing, 32) == hipErrorLaunchFailure);
    // The worker is fit for the next launch.
    static std::atomic<int> sum;
    sum = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) { sum += block_barrier(run, 1); }, &sum, 32) == hipSuccess);
    CHECK(sum == 32 * 32);
}

CASE(threads_have_stacks_of_their_own) {
    static std::atomic<int> wrong;
    wrong = 0;
    CHECK(run_threads([](const CudaShimKernelRun* run) {
        volatile uint32_t local[4096];
        const uint32_t t = thread_of(run);
        for (uint32_t i = 0; i < 4096; i++) local[i] = t + i;
        block_barrier(run);
        for (uint32_t i = 0; i < 4096; i++) wrong += local[i] != t + i;
    }, &wrong, 256) == hipSuccess);
    CHECK(wrong == 0);
}

CASE(cooperative_blocks_meet_at_the_grid_barrier) {
    static std::atomic<int> arrived, wrong;
    arrived = wrong = 0;
    TestKernel kernel("grid", [](const CudaShimKernelRun* run) {
        for (int round = 1; round <= 5; round++) {
            arrived++;
            cuda_shim::runtime_services().grid_barrier(run->grid_scheduler, run->block_scheduler);
            wrong += arrived != round * 8 * 32;
            cuda_shim::runtime_services().grid_barrier(run->grid_scheduler, run->block_scheduler);
        }
    }, true);
    CHECK(kernel.run({8, 1, 1}, {32, 1, 1}, nullptr, 0, true) == hipSuccess);
    CHECK(wrong == 0);
    CHECK(arrived == 5 * 8 * 32);
}

CASE(cooperative_blocks_may_spin_on_each_other) {
    static std::atomic<unsigned> arrived;
    arrived = 0;
    TestKernel kernel("spin", [](const CudaShimKernelRun* run) {
        arrived++;
        while (arrived < run->grid[0]) {
        }
    });
    CHECK(kernel.run({16, 1, 1}, {1, 1, 1}, nullptr, 0, true) == hipSuccess);
}

CASE(a_block_that_ends_early_does_not_hold_the_grid_up) {
    static std::atomic<int> passed;
    passed = 0;
    TestKernel kernel("early", [](const CudaShimKernelRun* run) {
        if (run->first_block == 2) return;
        cuda_shim::runtime_services().grid_barrier(run->grid_scheduler, run->block_scheduler);
        passed++;
    }, true);
    CHECK(kernel.run({4, 1, 1}, {8, 1, 1}, nullptr, 0, true) == hipSuccess);
    CHECK(passed == 3 * 8);
}

CASE(threads_split_between_block_and_grid_barrier_are_a_launch_failure) {
    TestKernel kernel("divided", [](const CudaShimKernelRun* run) {
        if (thread_of(run) < 4) {
            block_barrier(run);
        } else {
            cuda_shim::runtime_services().grid_barrier(run->grid_scheduler, run->block_scheduler);
        }
    }, true);
    CHECK(kernel.run({2, 1, 1}, {8, 1, 1}, nullptr, 0, true) == hipErrorLaunchFailure);
}

CASE(a_grid_barrier_without_a_cooperative_launch_is_a_launch_failure) {
    TestKernel kernel("alone", [](const CudaShimKernelRun* run) {
        cuda_shim::runtime_services().grid_barrier(run->grid_scheduler, run->block_scheduler);
    }, true);
    CHECK(kernel.run({1, 1, 1}, {8, 1, 1}) == hipErrorLaunchFailure);
}
