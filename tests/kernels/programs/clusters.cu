#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// Each block keeps the counts of some values; all blocks count into them.
extern "C" __global__ void histogram(const int* x, int n, int* bins, int* facts) {
    extern __shared__ int local[];
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    const int per = 32 / cluster.num_blocks(), rank = cluster.block_rank();
    for (int i = threadIdx.x; i < per; i += blockDim.x) local[i] = 0;
    if (threadIdx.x == 0) mine = 100 + rank;
    cluster.sync();
    const int cluster_of_grid = (blockIdx.x + gridDim.x * blockIdx.y) ;
    for (int i = cluster_of_grid * blockDim.x + threadIdx.x; i < n; i += gridDim.x * gridDim.y * blockDim.x)
        atomicAdd(cluster.map_shared_rank(local, x[i] / per) + x[i] % per, 1);
    cluster.sync();
    int* right = cluster.map_shared_rank(&mine, (rank + 1) % cluster.num_blocks());
    if (threadIdx.x == 3) {
        int* of = facts + 8 * (blockIdx.x + gridDim.x * blockIdx.y);
        of[0] = *right, of[1] = rank, of[2] = __clusterIdx().x, of[3] = __clusterIdx().y;
        of[4] = cluster.query_shared_rank(right) + 100 * __isClusterShared(right) + 1000 * __isClusterShared(facts);
        of[4] += 10000 * __isShared(right) + 100000 * __isClusterShared(local), of[5] = cluster.thread_rank(), of[6] = cluster.num_threads();
        of[7] = cluster.block_index().x + 10 * cluster.block_index().y + 100 * cluster.dim_blocks().x;
    }
    for (int i = threadIdx.x; i < per; i += blockDim.x) atomicAdd(bins + rank * per + i, local[i]);
    cluster.sync();
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(int* out) {
    __shared__ int value;
    if (threadIdx.x == 0) value = blockIdx.x;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    const unsigned other = __clusterRelativeBlockRank() ^ 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = *(int*)__cluster_map_shared_rank(&value, other) * 10 + __clusterSizeInBlocks();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}
extern "C" __global__ void faulty(int* out) {
    auto cluster = cg::this_cluster();
    cluster.sync();
    if (cluster.block_rank() == 1) __trap();
    cluster.sync();
    out[0] = 1;
}
