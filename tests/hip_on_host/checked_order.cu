// Kernels for test_checked_order.py: threads of a block that hand values to each other through objects of CUDA's C++
// library and through atomic operations. The first group is right, the second goes wrong at the line with "// here".
// All are launched with 64 threads on 64 floats that count from 0.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cooperative_groups.h>

#define SIZE 64
namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;

// --- nothing wrong

extern "C" __global__ void barrier(float* x) {
    __shared__ Barrier meeting;
    __shared__ float tile[SIZE];
    if (threadIdx.x == 0) init(&meeting, SIZE);
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        tile[threadIdx.x] = x[threadIdx.x] + round;
        meeting.arrive_and_wait();
        float other = tile[SIZE - 1 - threadIdx.x];
        meeting.arrive_and_wait();
        x[threadIdx.x] = other;
    }
}

// Half of the threads only arrive; the other half reads what they wrote.
extern "C" __global__ void split_arrival(float* x) {
    __shared__ Barrier filled;
    __shared__ float tile[SIZE / 2];
    if (threadIdx.x == 0) init(&filled, SIZE);
    __syncthreads();
    if (threadIdx.x < SIZE / 2) {
        tile[threadIdx.x] = x[threadIdx.x];
        (void)filled.arrive();
    } else {
        filled.wait(filled.arrive());
        x[threadIdx.x] = tile[SIZE - 1 - threadIdx.x];
    }
}

extern "C" __global__ void completion(float* x) {
    __shared__ float tile[SIZE], sum;
    struct Sum {
        float *values, *result;
        __device__ void operator()() {
            *result = 0;
            for (int i = 0; i < SIZE; ++i) *result += values[i];
        }
    };
    __shared__ cuda::barrier<cuda::thread_scope_block, Sum> meeting;
    if (threadIdx.x == 0) new (&meeting) cuda::barrier<cuda::thread_scope_block, Sum>(SIZE, Sum{tile, &sum});
    __syncthreads();
    tile[threadIdx.x] = x[threadIdx.x];
    meeting.arrive_and_wait();
    x[threadIdx.x] = sum;
}

extern "C" __global__ void stages(float* x) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float tile[2][SIZE];
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int round = 0; round < 4; ++round) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tile[round % 2][threadIdx.x], &x[threadIdx.x], sizeof(float), pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        float other = tile[round % 2][SIZE - 1 - threadIdx.x];
        pipeline.consumer_release();
        __syncthreads();
        x[threadIdx.x] = other;
        __syncthreads();
    }
}

extern "C" __global__ void semaphore(float* x) {
    typedef cuda::binary_semaphore<cuda::thread_scope_block> Semaphore;
    __shared__ alignas(Semaphore) char storage[sizeof(Semaphore)];
    __shared__ float total;
    Semaphore& free = *reinterpret_cast<Semaphore*>(storage);
    if (threadIdx.x == 0) {
        new (&free) Semaphore(1);
        total = 0;
    }
    __syncthreads();
    free.acquire();
    total += x[threadIdx.x];
    free.release();
    __syncthreads();
    x[threadIdx.x] = total;
}

extern "C" __global__ void latch(float* x) {
    typedef cuda::latch<cuda::thread_scope_block> Latch;
    __shared__ alignas(Latch) char storage[sizeof(Latch)];
    __shared__ float first;
    Latch& written = *reinterpret_cast<Latch*>(storage);
    if (threadIdx.x == 0) new (&written) Latch(1);
    __syncthreads();
    if (threadIdx.x == 0) {
        first = x[1];
        written.count_down();
    }
    written.wait();
    if (threadIdx.x > 1) x[threadIdx.x] = first;
}

extern "C" __global__ void release_and_acquire(float* x) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready.store(0);
    __syncthreads();
    if (threadIdx.x == 40) {
        value = x[7];
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        x[threadIdx.x] += value;
    }
}

// As it was written before there was cuda::atomic.
extern "C" __global__ void fences(float* x) {
    __shared__ int count;
    __shared__ float tile[SIZE];
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    tile[threadIdx.x] = x[threadIdx.x];
    __threadfence_block();
    const bool last = atomicAdd(&count, 1) == SIZE - 1;
    __threadfence_block();
    if (last)
        for (int i = 0; i < SIZE; ++i) x[i] = tile[SIZE - 1 - i];
}

extern "C" __global__ void polled(float* x) {
    __shared__ int ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 50) {
        value = x[7];
        __threadfence_block();
        atomicExch(&ready, 1);
    } else {
        while (*(volatile int*)&ready == 0) {}
        __threadfence_block();
        x[threadIdx.x] += value;
    }
}

extern "C" __global__ void indices(float* x) {
    struct Pair { float values[2]; float last; };
    float local[4] = {1, 2, 3, 4};
    Pair pairs[2] = {{{1, 2}, 3}, {{4, 5}, 6}};
    const float* end = &local[4];
    const unsigned char small = threadIdx.x % 4;
    x[threadIdx.x] += local[small] + pairs[threadIdx.x % 2].values[threadIdx.x / 2 % 2] + (end - local);
}

extern "C" __global__ void lanes(float* x) {
    const unsigned half = threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffff0000;
    if (threadIdx.x % 32 < 16) x[threadIdx.x] = __shfl_sync(half, x[threadIdx.x], 3);
    __syncwarp(half);
    if (threadIdx.x >= 40) return;
    x[threadIdx.x] += __shfl_down_sync(0xffffffff, x[threadIdx.x], 1);
    x[threadIdx.x] += __popc(__activemask());
}

// --- wrong

extern "C" __global__ void no_wait(float* x) {
    __shared__ Barrier filled;
    __shared__ float tile[SIZE];
    if (threadIdx.x == 0) init(&filled, SIZE);
    __syncthreads();
    tile[threadIdx.x] = x[threadIdx.x];
    (void)filled.arrive();
    if (threadIdx.x > 0)
        x[threadIdx.x] = tile[threadIdx.x - 1];  // here
}

extern "C" __global__ void too_late(float* x) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready.store(0);
    __syncthreads();
    if (threadIdx.x == 0) {
        ready.store(1, cuda::memory_order_release);
        value = x[7];
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        x[threadIdx.x] += value;  // here
    }
}

extern "C" __global__ void relaxed(float* x) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready.store(0);
    __syncthreads();
    if (threadIdx.x == 0) {
        value = x[7];
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0) {}
        x[threadIdx.x] += value;  // here
    }
}

extern "C" __global__ void no_fence(float* x) {
    __shared__ int count;
    __shared__ float tile[SIZE];
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    tile[threadIdx.x] = x[threadIdx.x];
    float sum = 0;
    if (atomicAdd(&count, 1) == SIZE - 1)
        for (int i = 0; i < SIZE; ++i)
            sum += tile[i];  // here
    x[threadIdx.x] = sum;
}

extern "C" __global__ void missing_lanes(float* x) {
    if (threadIdx.x % 32 < 16)
        x[threadIdx.x] = __shfl_down_sync(0xffffffff, x[threadIdx.x], 8);  // here
    __syncthreads();
}

extern "C" __global__ void not_in_the_mask(float* x) {
    const float value = __shfl_sync(0x0000ffff, x[threadIdx.x], 3);  // here
    x[threadIdx.x] = value;
}

extern "C" __global__ void local_index(float* x) {
    float local[4] = {1, 2, 3, 4};
    x[threadIdx.x] += local[threadIdx.x / 8];  // here
}

extern "C" __global__ void negative_index(float* x) {
    float local[4] = {1, 2, 3, 4};
    const short at = 1 - (int)threadIdx.x;
    x[threadIdx.x] += local[at];  // here
}

struct Members { float values[3]; float last; };
extern "C" __global__ void member_index(float* x) {
    Members members = {{1, 2, 3}, 4};
    if (threadIdx.x == 9) x[0] = members.values[threadIdx.x / 3];  // here
}

extern "C" __global__ void next_shared_array(float* x) {
    __shared__ float first[SIZE / 2], second[SIZE / 2];
    first[threadIdx.x % 32] = second[threadIdx.x % 32] = 0;
    __syncthreads();
    if (threadIdx.x == 33) first[threadIdx.x] = 1;  // here
}
