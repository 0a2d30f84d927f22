#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(const int* x, int* out) {
    constexpr int stages = 2, batch = 32;
    __shared__ int room[stages][batch];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> shared, parted;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &shared);
    int sum = 0;
    for (int fetched = 0, used = 0; used < 4; ++used) {
        for (; fetched < 4 && fetched < used + stages; ++fetched) {
            pipe.producer_acquire();
            if (threadIdx.x < batch)
                cuda::memcpy_async(&room[fetched % stages][threadIdx.x], x + fetched * batch + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = 0; i < batch; ++i) sum = sum * 3 + room[used % stages][i];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
    block.sync();
    // A warp fills the stages, the others empty them.
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto two = cuda::make_pipeline(block, &parted, role);
    sum = 0;
    for (int step = 0; step < 4; ++step) {
        if (role == cuda::pipeline_role::producer) {
            two.producer_acquire();
            cuda::memcpy_async(&room[step % stages][threadIdx.x], x + step * batch + threadIdx.x, sizeof(int), two);
            two.producer_commit();
        } else {
            two.consumer_wait();
            for (int i = 0; i < batch; ++i) sum = sum * 5 + room[step % stages][i];
            two.consumer_release();
        }
    }
    if (threadIdx.x >= 32) out[threadIdx.x] += sum;
    block.sync();
    auto mine = cuda::make_pipeline();
    mine.producer_acquire();
    cuda::memcpy_async(&sum, x + threadIdx.x, sizeof(int), mine);
    mine.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(mine);
    mine.consumer_release();
    out[threadIdx.x] ^= sum;
}
