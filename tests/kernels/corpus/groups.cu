// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

extern "C" __global__ void of_the_block(const float* in, float* out) {
    __shared__ float s[128];
    const cg::thread_block block = cg::this_thread_block();
    const unsigned rank = block.thread_rank();
    s[rank] = in[block.group_index().x * block.size() + rank];
    block.sync();
    if (rank == 0) {
        float sum = 0;
        for (unsigned i = 0; i < block.num_threads(); ++i) sum += s[i];
        out[block.group_index().x] = sum + block.thread_index().y + block.group_dim().x;
    }
    cg::sync(block);
}

extern "C" __global__ void tiles(const int* in, int* reduced, int* shuffled, unsigned* votes, int* ranks) {
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto tile = cg::tiled_partition<8>(block);
    const int i = block.thread_rank();
    reduced[i] = cg::reduce(tile, in[i], cg::plus<int>()) + 1000 * cg::reduce(warp, in[i], cg::greater<int>());
    shuffled[i] = tile.shfl(in[i], 2) + tile.shfl_xor(in[i], 1) + tile.shfl_down(in[i], 3) + warp.shfl_up(in[i], 4);
    votes[i] = tile.ballot(in[i] > 50) + 1000u * tile.any(in[i] > 90) + 2000u * tile.all(in[i] > 5);
    ranks[i] = tile.thread_rank() + 10 * tile.size() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
    warp.sync();
}

extern "C" __global__ void scans(const int* in, int* inclusive, int* exclusive) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int i = threadIdx.x;
    inclusive[i] = cg::inclusive_scan(tile, in[i], cg::plus<int>());
    exclusive[i] = cg::exclusive_scan(tile, in[i]);
}

// One atomic for all threads that take the same way.
__device__ int aggregated(int* counter) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int before;
    if (active.thread_rank() == 0) before = atomicAdd(counter, active.size());
    before = active.shfl(before, 0);
    return before + active.thread_rank();
}

extern "C" __global__ void filter(const int* in, int* out, int* counter) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) out[aggregated(counter)] = in[i];
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void partitions(const int* in, int* sizes, int* sums) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = threadIdx.x;
    const auto same = cg::labeled_partition(warp, in[i] % 4);
    sizes[i] = same.size() + 100 * same.thread_rank();
    const auto half = cg::binary_partition(warp, in[i] > 50);
    sums[i] = cg::reduce(half, in[i], cg::plus<int>());
}
#endif

extern "C" __global__ void copies(const float* in, float* out) {
    __shared__ float s[256];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 256, sizeof(float) * 256);
    cg::wait(block);
    const int t = threadIdx.x;
    out[blockIdx.x * 256 + t] = s[255 - t] + s[t];
}

// Two steps with the whole grid between them.
extern "C" __global__ void whole_grid(const int* in, int* parts, int* out, int n) {
    const cg::grid_group grid = cg::this_grid();
    int sum = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    parts[grid.thread_rank()] = sum;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int total = 0;
        for (unsigned long long i = 0; i < grid.size(); ++i) total += parts[i];
        *out = total;
    }
    cg::sync(grid);
    parts[grid.thread_rank()] = *out;
}

// A function that takes any group.
__device__ int sum_in(cg::thread_group group, int* scratch, int value) {
    const int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i) value += scratch[rank + i];
        group.sync();
    }
    return value;
}

extern "C" __global__ void any_group(const int* in, int* out) {
    __shared__ int scratch[64];
    const int t = threadIdx.x;
    const int of_block = sum_in(cg::this_thread_block(), scratch, in[t]);
    const cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
    const int of_tile = sum_in(tile, scratch + t / 16 * 16, in[t]);
    if (t == 0) out[0] = of_block;
    if (tile.thread_rank() == 0) out[1 + t / 16] = of_tile;
}
