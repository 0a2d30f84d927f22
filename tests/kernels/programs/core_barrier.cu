#include <cuda/atomic>
#include <cuda/barrier>
extern "C" __global__ void kernel(const int* x, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int parts[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    parts[threadIdx.x] = x[threadIdx.x];
    cuda::atomic_ref<int, cuda::thread_scope_device> count(out[0]);
    count.fetch_add(parts[threadIdx.x], cuda::memory_order_relaxed);
    barrier.arrive_and_wait();
    if (threadIdx.x == 1) out[1] = parts[127];
}
