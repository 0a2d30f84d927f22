// Launches with clusters. One cluster runs after the other; each of its blocks has a thread of its own, so that the
// shared variables of all of them, which a worker keeps in thread-local variables, exist at once.
#include <vector>

#include "common/log.h"
#include "engine/block_runner.h"
#include "engine/grid_barrier.h"
#include "engine/loaded_module.h"
#include "engine/running_kernels.h"
#include "engine/worker_thread.h"

namespace cuda_shim {
namespace {

class ClusterRun {
public:
    explicit ClusterRun(const KernelLaunch& launch)
        : launch_(launch),
          mode_(choose_execution_mode(*launch.kernel)),
          size_(launch.cluster.count()),
          barrier_(size_),
          between_(size_),
          running_(launch_, mode_, &barrier_) {
        launch_.running = &running_;
        launch_.cluster_run = &cluster_;
        const uint32_t size[3] = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
        for (int axis = 0; axis < 3; axis++) cluster_.size[axis] = size[axis];
        cluster_.barrier = &barrier_;
    }

    hipError_t run();

private:
    struct Member {
        ClusterRun* run;
        uint32_t rank;
        pthread_t thread;
    };

    static void* member_main(void* member) {
        auto& self = *static_cast<Member*>(member);
        self.run->run_blocks(self.rank);
        return nullptr;
    }
    void run_blocks(uint32_t rank) noexcept;
    bool run_block(BlockRunner& runner, uint64_t block);
    void tell_place(uint32_t rank, const BlockRunner& runner);
    uint64_t block_of(uint64_t cluster, uint32_t rank) const;
    void give_up(StopReason reason);

    KernelLaunch launch_;
    const ExecutionMode mode_;
    const uint64_t size_;
    CudaShimCluster cluster_ = {};
    GridBarrier barrier_;  // for the blocks of the running cluster
    GridBarrier between_;  // for the threads, before the first cluster and between clusters
    RunningKernel running_;
    FirstFault fault_;
};

// The block of the grid that has this rank in a cluster, in linear order.
uint64_t ClusterRun::block_of(uint64_t cluster, uint32_t rank) const {
    const Extent3 &grid = launch_.grid, &size = launch_.cluster;
    const uint64_t across = grid.x / size.x, along = grid.y / size.y;
    const uint64_t x = cluster % across * size.x + rank % size.x;
    const uint64_t y = cluster / across % along * size.y + rank / size.x % size.y;
    const uint64_t z = cluster / across / along * size.z + rank / size.x / size.y;
    return x + grid.x * (y + grid.y * z);
}

void ClusterRun::tell_place(uint32_t rank, const BlockRunner& runner) {
    const LoadedModule* module = launch_.kernel->module;
    const ThreadLocals variables = module ? module->thread_locals_of_worker() : ThreadLocals{};
    cluster_.blocks[rank] = {variables.begin, static_cast<char*>(runner.dynamic_shared())};
    if (rank == 0) cluster_.variable_bytes = variables.bytes;
}

bool ClusterRun::run_block(BlockRunner& runner, uint64_t block) {
    struct Body {
        BlockRunner& runner;
        uint64_t block;
    } body{runner, block};
    return runner.run_protected(
        [](void* argument) {
            auto& [block_runner, number] = *static_cast<Body*>(argument);
            block_runner.run(number, number + 1);
            block_runner.finish();
        },
        &body);
}

void ClusterRun::give_up(StopReason reason) {
    running_.stop(reason);
    between_.stop();
}

void ClusterRun::run_blocks(uint32_t rank) noexcept {
    running_.workers.fetch_add(1, std::memory_order_relaxed);
    try {
        BlockRunner runner(launch_, mode_, 0, nullptr);
        tell_place(rank, runner);
        const uint64_t clusters = launch_.grid.count() / size_;
        for (uint64_t cluster = 0; cluster < clusters; cluster++) {
            if (rank == 0) barrier_.restart(size_);
            if (!between_.wait()) return;
            if (!run_block(runner, block_of(cluster, rank))) {
                fault_.record(runner.frame());
                return give_up(StopReason::Fault);
            }
            barrier_.leave();
            if (!between_.wait()) return;
        }
    } catch (const std::bad_alloc&) {
        fault_.record(out_of_memory(launch_));
        give_up(StopReason::Fault);
    }
}

hipError_t ClusterRun::run() {
    std::vector<Member> members(size_ - 1);
    uint64_t started = 0;
    while (started < members.size()) {
        Member& member = members[started];
        member.run = this;
        member.rank = static_cast<uint32_t>(started + 1);
        if (!start_worker_thread(member.thread, member_main, &member)) break;
        started++;
    }
    if (started == members.size()) {
        run_blocks(0);
    } else {
        log(LogLevel::Error, "kernel %s has clusters of %llu blocks, the system gives %llu threads",
            launch_.kernel->label.c_str(), static_cast<unsigned long long>(size_),
            static_cast<unsigned long long>(started) + 1);
        give_up(StopReason::Fault);
    }
    for (uint64_t i = 0; i < started; i++) pthread_join(members[i].thread, nullptr);
    if (!fault_.none()) return fault_.error();
    if (running_.stopped() != StopReason::None) return running_.error_of_stop();
    return started == members.size() ? hipSuccess : hipErrorOutOfMemory;
}

}  // namespace

hipError_t run_clusters(const KernelLaunch& launch) {
    ClusterRun grid(launch);
    return grid.run();
}

}  // namespace cuda_shim
