// CCCL's <cuda/ptx>: functions for instructions of PTX, in place of assembly.
#include <cuda/ptx>

namespace ptx = cuda::ptx;
typedef unsigned long long u64;
struct alignas(64) TensorMap { u64 opaque[16]; };

static __device__ void initialize(u64* barrier, unsigned threads) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, threads);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
}
static __device__ void wait(u64* barrier) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, 0)) {}
}
template <class T> static __device__ T* of_rank(T* here, unsigned rank) {
    T* there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
    return there;
}

// A row of bytes to shared memory and back, and added to another one.
extern "C" __global__ void rows(const int* from, int* to, int* sums) {
    __shared__ alignas(128) int buffer[64];
    __shared__ alignas(8) u64 barrier;
    initialize(&barrier, 1);
    if (ptx::elect_sync(~0u)) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof buffer);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, from, sizeof buffer, &barrier);
    }
    wait(&barrier);
    for (int i = threadIdx.x; i < 64; i += 32) buffer[i] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, buffer, sizeof buffer);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, buffer, sizeof buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// A box of a tensor to shared memory, and to another place of the tensor. The map's height is replaced if it is not 0.
extern "C" __global__ void boxes(const __grid_constant__ TensorMap map, TensorMap* changed, int* out, unsigned height) {
    __shared__ alignas(128) int buffer[64];
    __shared__ alignas(128) TensorMap own;
    __shared__ alignas(8) u64 barrier;
    initialize(&barrier, 1);
    if (threadIdx.x == 0) {
        own = map;
        if (height) ptx::tensormap_replace_global_dim(ptx::space_shared, &own, ptx::n32_t<1>(), height);
    }
    __syncthreads();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, changed, &own, ptx::n32_t<128>());
    if (threadIdx.x == 0) {
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, changed, ptx::n32_t<128>());
        const int at[2] = {4, 3}, to[2] = {8, 1};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, changed, at, &barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof buffer);
        wait(&barrier);
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, to, buffer);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_max, &map, at, buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += 32) out[i] = buffer[i];
}

// Numbers for the cluster's other block.
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int* out) {
    __shared__ int numbers[32], sum;
    __shared__ alignas(8) u64 barrier;
    const unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) sum = 0;
    initialize(&barrier, 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &barrier, 32 * 8);
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    int* far = of_rank(numbers, 1 - rank);
    int* far_sum = of_rank(&sum, 1 - rank);
    u64* far_barrier = of_rank(&barrier, 1 - rank);
    ptx::st_async(far + threadIdx.x, (int)(100 * rank + threadIdx.x), far_barrier);
    ptx::red_async(ptx::op_add, far_sum, (int)threadIdx.x, far_barrier);
    wait(&barrier);
    out[64 * rank + threadIdx.x] = numbers[threadIdx.x];
    out[64 * rank + 32 + threadIdx.x] = sum + ptx::getctarank(ptx::space_cluster, far_sum);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

// Bits, lanes and special registers.
extern "C" __global__ void registers(unsigned* out) {
    unsigned* row = out + 8 * threadIdx.x;
    row[0] = ptx::get_sreg_laneid();
    row[1] = ptx::get_sreg_lanemask_lt();
    row[2] = ptx::get_sreg_ntid_x() + ptx::get_sreg_nctaid_y();
    row[3] = ptx::bfind(0x00f0u >> threadIdx.x % 8);
    row[4] = ptx::shl(3u, threadIdx.x);
    row[5] = ptx::shr(-1000, threadIdx.x);
    row[6] = ptx::prmt(0x33221100u, 0x77665544u, 0x5140u + threadIdx.x % 4);
    row[7] = ptx::bmsk_clamp(threadIdx.x, 5u);
    ptx::fence(ptx::sem_sc, ptx::scope_gpu);
    ptx::fence_proxy_alias();
}
