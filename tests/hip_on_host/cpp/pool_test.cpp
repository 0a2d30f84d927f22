// parallel_for: every index once, nested use, exceptions, fork.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "check.h"
#include "engine/thread_pool.h"

using cuda_shim::parallel_for;

CASE(parallel_for_visits_every_index_once) {
    for (size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{1000}, size_t{100003}}) {
        std::vector<std::atomic<int>> visits(count);
        parallel_for(count, 10, [&](size_t first, size_t last) {
            for (size_t i = first; i < last; i++) visits[i]++;
        });
        for (auto& visit : visits) CHECK(visit == 1);
    }
}

CASE(parallel_for_pieces_are_no_smaller_than_the_grain) {
    std::mutex mutex;
    std::vector<size_t> sizes;
    parallel_for(1000, 300, [&](size_t first, size_t last) {
        std::lock_guard<std::mutex> lock(mutex);
        sizes.push_back(last - first);
    });
    int short_ones = 0;
    for (size_t size : sizes) short_ones += size < 300;
    CHECK(short_ones <= 1);
    CHECK(sizes.size() <= 4);
}

CASE(parallel_for_uses_more_than_one_thread) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> together{0};
    parallel_for(2, 1, [&](size_t, size_t) {
        together++;
        // Both pieces wait for each other, which only two threads can do.
        for (int i = 0; i < 10000 && together < 2; i++) usleep(1000);
        std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
    });
    CHECK(cuda_shim::worker_count() < 2 || threads.size() == 2);
}

CASE(parallel_for_may_be_nested) {
    std::atomic<int> sum{0};
    parallel_for(8, 1, [&](size_t first, size_t last) {
        for (size_t i = first; i < last; i++) {
            parallel_for(8, 1, [&](size_t from, size_t to) { sum += static_cast<int>(to - from); });
        }
    });
    CHECK(sum == 64);
}

CASE(parallel_for_from_many_threads) {
    std::vector<std::thread> threads;
    std::atomic<long> sum{0};
    for (int t = 0; t < 8; t++) {
        threads.emplace_back([&] {
            for (int round = 0; round < 50; round++) {
                parallel_for(100, 1, [&](size_t first, size_t last) { sum += static_cast<long>(last - first); });
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(sum == 8 * 50 * 100);
}

CASE(parallel_for_throws_what_a_piece_threw) {
    bool caught = false;
    try {
        parallel_for(100, 1, [](size_t first, size_t) {
            if (first >= 50) throw std::runtime_error("piece");
        });
    } catch (const std::runtime_error& error) {
        caught = std::strcmp(error.what(), "piece") == 0;
    }
    CHECK(caught);
    std::atomic<int> after{0};
    parallel_for(100, 1, [&](size_t first, size_t last) { after += static_cast<int>(last - first); });
    CHECK(after == 100);
}

namespace {

// Threads that take part in work with one helper at first; each chunk waits until `expected` threads have come.
size_t threads_with_one_helper_at_first(bool admits_all, size_t expected) {
    setenv("CUDA_SHIM_CPU_THREADS", "4", 1);
    struct Shared {
        const bool admits_all;
        const size_t expected;
        std::mutex mutex{};
        std::set<std::thread::id> threads{};
        std::vector<int> visits = std::vector<int>(64);

        bool is_complete() {
            std::lock_guard<std::mutex> lock(mutex);
            return threads.size() >= expected;
        }
    } shared{admits_all, expected};
    const auto body = [](void* context, cuda_shim::SharedWork& work) {
        auto& seen = *static_cast<Shared*>(context);
        uint64_t first, last;
        while (work.take(first, last)) {
            {
                std::lock_guard<std::mutex> lock(seen.mutex);
                seen.threads.insert(std::this_thread::get_id());
                seen.visits[first]++;
            }
            if (seen.admits_all) admit_all(work);
            for (int i = 0; i < 10'000 && !seen.is_complete(); i++) usleep(1000);
        }
    };
    cuda_shim::SharedWork work(body, &shared, shared.visits.size(), 1);
    work.first_helpers = 1;
    run_shared(work);
    for (int visits : shared.visits) CHECK(visits == 1);
    return shared.threads.size();
}

}  // namespace

CASE(short_work_has_few_helpers) { CHECK(threads_with_one_helper_at_first(false, 2) == 2); }

CASE(short_work_that_turns_out_long_admits_all_helpers) { CHECK(threads_with_one_helper_at_first(true, 4) == 4); }

CASE(short_work_from_many_threads_is_done_once) {
    setenv("CUDA_SHIM_CPU_THREADS", "4", 1);
    std::vector<std::thread> threads;
    std::atomic<uint64_t> sum{0};
    const auto body = [](void* context, cuda_shim::SharedWork& work) {
        uint64_t first, last;
        while (work.take(first, last)) {
            if (first % 7 == 0) admit_all(work);
            *static_cast<std::atomic<uint64_t>*>(context) += last - first;
        }
    };
    for (int t = 0; t < 8; t++) {
        threads.emplace_back([&] {
            for (int round = 0; round < 500; round++) {
                cuda_shim::SharedWork work(body, &sum, 40, 3);
                work.first_helpers = round % 3;
                run_shared(work);
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(sum == 8 * 500 * 40);
}

CASE(parallel_for_works_in_a_forked_child) {
    std::atomic<int> sum{0};
    const auto add = [&](size_t first, size_t last) { sum += static_cast<int>(last - first); };
    parallel_for(100, 1, add);
    const pid_t child = fork();
    if (child == 0) {
        parallel_for(100, 1, add);
        _exit(sum == 200 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
