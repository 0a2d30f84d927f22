// Cooperative launches. All blocks are resident: each has a thread of its own, which the system schedules, so that
// blocks may wait for each other at grid barriers and by spinning on memory alike.
#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "common/log.h"
#include "engine/block_runner.h"
#include "engine/grid_barrier.h"
#include "engine/running_kernels.h"
#include "engine/worker_thread.h"

namespace cuda_shim {
namespace {

class CooperativeRun {
public:
    explicit CooperativeRun(const KernelLaunch& launch)
        : launch_(launch),
          mode_(choose_execution_mode(*launch.kernel)),
          barrier_(launch.grid.count()),
          running_(launch_, mode_, &barrier_) {
        launch_.running = &running_;
    }

    hipError_t run();

private:
    struct Member {
        CooperativeRun* run;
        uint64_t block;
        pthread_t thread;
    };

    static void* member_main(void* member) {
        auto& self = *static_cast<Member*>(member);
        self.run->run_block(self.block);
        return nullptr;
    }
    void run_block(uint64_t block) noexcept;

    KernelLaunch launch_;
    const ExecutionMode mode_;
    GridBarrier barrier_;
    RunningKernel running_;
    FirstFault fault_;
};

void CooperativeRun::run_block(uint64_t block) noexcept {
    struct Body {
        BlockRunner& runner;
        uint64_t block;
    };
    running_.workers.fetch_add(1, std::memory_order_relaxed);
    try {
        BlockRunner runner(launch_, mode_, 0, &barrier_);
        Body body{runner, block};
        const bool finished = runner.run_protected(
            [](void* argument) {
                auto& [block_runner, number] = *static_cast<Body*>(argument);
                block_runner.run(number, number + 1);
                block_runner.finish();
            },
            &body);
        if (finished) return barrier_.leave();
        fault_.record(runner.frame());
    } catch (const std::exception&) {  // as in run_kernel
        fault_.record(out_of_memory(launch_));
    }
    running_.stop(StopReason::Fault);
}

hipError_t CooperativeRun::run() {
    const uint64_t blocks = launch_.grid.count();
    std::vector<Member> members(blocks - 1);
    uint64_t started = 0;
    while (started < members.size()) {
        Member& member = members[started];
        member.run = this;
        member.block = started + 1;
        if (!start_worker_thread(member.thread, member_main, &member)) break;
        started++;
    }
    if (started == members.size()) {
        run_block(0);
    } else {
        log(LogLevel::Error, "cooperative launch of kernel %s needs %llu threads, the system gives %llu",
            launch_.kernel->label.c_str(), static_cast<unsigned long long>(blocks),
            static_cast<unsigned long long>(started) + 1);
        running_.stop(StopReason::Fault);
    }
    for (uint64_t i = 0; i < started; i++) pthread_join(members[i].thread, nullptr);
    if (!fault_.none()) return fault_.error();
    if (running_.stopped() != StopReason::None) return running_.error_of_stop();
    return started == members.size() ? hipSuccess : hipErrorOutOfMemory;
}

}  // namespace

hipError_t run_cooperative(const KernelLaunch& launch) {
    CooperativeRun grid(launch);
    return grid.run();
}

}  // namespace cuda_shim
