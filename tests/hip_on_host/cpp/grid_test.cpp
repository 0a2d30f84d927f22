// Running grids: every block and thread once in every form, dynamic shared memory, learned times.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "check.h"
#include "engine/running_kernels.h"
#include "engine/thread_pool.h"
#include "kernels.h"

namespace {

void count_visits(const CudaShimKernelRun* run) {
    auto* visits = argument<std::atomic<int>*>(run, 0);
    const uint32_t threads = run->block[0] * run->block[1] * run->block[2];
    for_each_thread(run, [&](uint32_t thread, uint64_t block) { visits[block * threads + thread]++; });
}

void check_every_thread_once(bool fibres, cuda_shim::Extent3 grid, cuda_shim::Extent3 block) {
    std::vector<std::atomic<int>> visits(grid.count() * block.count());
    auto* address = visits.data();
    void* args[] = {&address};
    TestKernel kernel("visits", count_visits, fibres);
    for (int round = 1; round <= 3; round++) {
        CHECK(kernel.run(grid, block, args) == hipSuccess);
        int wrong = 0;
        for (auto& visit : visits) wrong += visit != round;
        CHECK(wrong == 0);
    }
}

}  // namespace

CASE(every_thread_of_every_block_runs_once) {
    check_every_thread_once(false, {1, 1, 1}, {1, 1, 1});
    check_every_thread_once(false, {1000, 1, 1}, {32, 1, 1});
    check_every_thread_once(false, {5, 7, 3}, {4, 3, 2});
    check_every_thread_once(false, {4096, 1, 1}, {256, 1, 1});
}

CASE(every_thread_of_every_block_runs_once_on_fibres) {
    check_every_thread_once(true, {1, 1, 1}, {1, 1, 1});
    check_every_thread_once(true, {5, 7, 3}, {4, 3, 2});
    check_every_thread_once(true, {50, 1, 1}, {1024, 1, 1});
    check_every_thread_once(true, {2, 1, 1}, {16, 8, 8});
}

CASE(dynamic_shared_memory_is_aligned_and_of_one_block_at_a_time) {
    const auto body = [](const CudaShimKernelRun* run) {
        auto* wrong = argument<std::atomic<int>*>(run, 0);
        auto* shared = static_cast<uint32_t*>(run->dynamic_shared);
        *wrong += reinterpret_cast<uintptr_t>(shared) % 128 != 0 || run->dynamic_shared_bytes != 48u << 10;
        for (uint64_t block = run->first_block; block < run->last_block; block++) {
            for (uint32_t i = 0; i < (48u << 10) / 4; i++) shared[i] = static_cast<uint32_t>(block);
            for (uint32_t i = 0; i < (48u << 10) / 4; i++) *wrong += shared[i] != block;
        }
    };
    std::atomic<int> wrong{0};
    auto* address = &wrong;
    void* args[] = {&address};
    TestKernel kernel("shared", body);
    CHECK(kernel.run({64, 1, 1}, {1, 1, 1}, args, 48u << 10) == hipSuccess);
    CHECK(wrong == 0);
}

CASE(time_a_block_takes_is_learned) {
    TestKernel kernel("slow", [](const CudaShimKernelRun* run) {
        for (uint64_t block = run->first_block; block < run->last_block; block++) usleep(200);
    });
    CHECK(kernel.kernel.nanoseconds_per_block == 0);
    kernel.run({20, 1, 1}, {1, 1, 1});
    CHECK(kernel.kernel.nanoseconds_per_block > 100'000);
}

CASE(a_launch_that_outgrows_what_was_learned_is_shared) {
    static std::atomic<int> threads_seen;
    static thread_local bool is_counted = false;
    threads_seen = 0;
    TestKernel kernel("grows", [](const CudaShimKernelRun* run) {
        if (!is_counted) threads_seen++;
        is_counted = true;
        if (argument<int>(run, 0)) usleep(static_cast<unsigned>((run->last_block - run->first_block) * 1000));
    });
    int slow = 0;
    void* args[] = {&slow};
    kernel.run({1000, 1, 1}, {1, 1, 1}, args);
    slow = 1;
    kernel.run({64, 1, 1}, {1, 1, 1}, args);
    CHECK(cuda_shim::worker_count() == 1 || threads_seen > 1);
}

CASE(a_launch_that_outgrows_a_short_estimate_is_run_by_all_threads) {
    setenv("CUDA_SHIM_CPU_THREADS", "4", 1);
    static std::atomic<unsigned> threads_seen;
    static thread_local bool is_counted = false;
    threads_seen = 0;
    TestKernel kernel("outgrows", [](const CudaShimKernelRun*) {
        if (!is_counted) threads_seen++;
        is_counted = true;
        for (int i = 0; i < 10'000 && threads_seen < 4; i++) usleep(1000);
    });
    kernel.kernel.nanoseconds_per_block = 600;  // enough for two threads
    CHECK(kernel.run({64, 1, 1}, {1, 1, 1}) == hipSuccess);
    CHECK(threads_seen == 4);
}

CASE(kernels_of_all_threads_are_described) {
    constexpr unsigned kThreads = 40;
    static std::atomic<unsigned> running;
    static std::atomic<bool> may_end;
    running = 0;
    may_end = false;
    TestKernel kernel("waiting", [](const CudaShimKernelRun*) {
        running++;
        while (!may_end) usleep(1000);
    });
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; t++) threads.emplace_back([&] { kernel.run({1, 1, 1}, {1, 1, 1}); });
    while (running < kThreads) usleep(1000);
    const std::string text = cuda_shim::describe_running_kernels();
    CHECK(std::count(text.begin(), text.end(), '\n') == kThreads - 1);
    cuda_shim::stop_kernels(cuda_shim::kAllDevices, cuda_shim::StopReason::Reset);
    may_end = true;
    for (auto& thread : threads) thread.join();
    CHECK(cuda_shim::describe_running_kernels().empty());
}

CASE(many_threads_launch_at_once) {
    std::vector<std::thread> threads;
    std::atomic<long> total{0};
    auto* address = &total;
    void* args[] = {&address};
    const auto add = [](const CudaShimKernelRun* run) {
        auto* sum = argument<std::atomic<long>*>(run, 0);
        for_each_thread(run, [&](uint32_t, uint64_t) { ++*sum; });
    };
    TestKernel loops("loops", add), fibres("fibres", add, true);
    for (int t = 0; t < 6; t++) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 40; i++) (t % 2 ? loops : fibres).run({16, 1, 1}, {64, 1, 1}, args);
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(total == 6 * 40 * 16 * 64);
}
