#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::latch<cuda::thread_scope_device> latch(128);
__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore(1);
extern "C" __global__ void kernel(const int* x, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> count(out[0]);
    count.fetch_add(1, cuda::memory_order_relaxed);
    count++;
    latch.arrive_and_wait();
    if (threadIdx.x == 0) out[1] = out[0];
    semaphore.acquire();
    out[2] += x[threadIdx.x];
    semaphore.release();
    cuda::atomic_ref<int> most(out[3]);
    most.fetch_max(x[threadIdx.x]);
}
