// Kernels and variables of every kind, for tests of loading, launching and attributes.
#include <atomic>

#include "module.h"

namespace {

struct Mixed {
    char letter;
    double number;
};

int counter = 7;
float scale[4] = {1, 2, 3, 4};
long shared_value = 11;
char image[64];

void empty(const CudaShimKernelRun*) {}

void saxpy(const CudaShimKernelRun* run) {
    const auto a = argument<float>(run, 0);
    const auto* x = argument<const float*>(run, 1);
    auto* y = argument<float*>(run, 2);
    const auto n = argument<uint64_t>(run, 3);
    each_thread(run, [&](uint64_t block, uint32_t thread) {
        const uint64_t i = block * block_size(run) + thread;
        if (i < n) y[i] += a * x[i];
    });
}

// Parameters whose alignment leaves gaps: out = letter, number, short, long.
void mixed(const CudaShimKernelRun* run) {
    auto* out = argument<double*>(run, 1);
    out[0] = argument<char>(run, 0);
    const auto pair = argument<Mixed>(run, 2);
    out[1] = pair.letter;
    out[2] = pair.number;
    out[3] = argument<short>(run, 3);
    out[4] = static_cast<double>(argument<int64_t>(run, 4));
}

// Writes each thread's place: grid, block and linear numbers, as the run has them.
void geometry(const CudaShimKernelRun* run) {
    auto* out = argument<uint32_t*>(run, 0);
    each_thread(run, [&](uint64_t block, uint32_t thread) {
        uint32_t* mine = out + (block * block_size(run) + thread) * 8;
        for (int axis = 0; axis < 3; axis++) {
            mine[axis] = run->grid[axis];
            mine[3 + axis] = run->block[axis];
        }
        mine[6] = static_cast<uint32_t>(block);
        mine[7] = thread;
    });
}

// Reverses each block's part of `data` through dynamic shared memory; split at its barrier.
void reverse_split(const CudaShimKernelRun* run) {
    auto* data = argument<int*>(run, 0);
    auto* how = argument<int*>(run, 1);
    auto* shared = static_cast<int*>(run->dynamic_shared);
    const uint32_t n = run->block[0];
    *how = 1;
    for (uint64_t block = run->first_block; block < run->last_block; block++) {
        for (uint32_t t = 0; t < n; t++) shared[t] = data[block * n + t];
        for (uint32_t t = 0; t < n; t++) data[block * n + t] = shared[n - 1 - t];
    }
}
void reverse_threads(const CudaShimKernelRun* run) {
    auto* data = argument<int*>(run, 0);
    auto* shared = static_cast<int*>(run->dynamic_shared);
    *argument<int*>(run, 1) = 2;
    each_thread(run, [&](uint64_t block, uint32_t thread) {
        shared[thread] = data[block * run->block[0] + thread];
        services->block_barrier(run->block_scheduler, 0);
        data[block * run->block[0] + thread] = shared[run->block[0] - 1 - thread];
    });
}

// The sum of a warp by shuffles; on fibres only.
void warp_sum(const CudaShimKernelRun* run) {
    auto* data = argument<int*>(run, 0);
    each_thread(run, [&](uint64_t block, uint32_t thread) {
        const uint32_t warp = services->warp_size, lane = thread % warp;
        int& mine = data[block * run->block[0] + thread];
        int sum = mine;
        for (uint32_t step = warp / 2; step; step /= 2) {
            uint64_t active;
            const uint64_t* values = services->warp_exchange(run->block_scheduler, thread, static_cast<uint64_t>(sum),
                                                            ~uint64_t{0}, &active);
            sum += static_cast<int>(values[(lane + step) % warp]);
        }
        mine = sum;
    });
}

// All blocks add one and wait for each other, `rounds` times; counts the wrong values that threads see.
void grid_rounds(const CudaShimKernelRun* run) {
    auto* arrived = reinterpret_cast<std::atomic<int>*>(argument<int*>(run, 0));
    auto* wrong = reinterpret_cast<std::atomic<int>*>(argument<int*>(run, 1));
    const int rounds = argument<int>(run, 2);
    const auto everybody = static_cast<int>(run->grid[0] * run->block[0]);
    each_thread(run, [&](uint64_t, uint32_t) {
        for (int round = 1; round <= rounds; round++) {
            ++*arrived;
            services->grid_barrier(run->grid_scheduler, run->block_scheduler);
            if (*arrived != round * everybody) ++*wrong;
            services->grid_barrier(run->grid_scheduler, run->block_scheduler);
        }
    });
}

void add_counter(const CudaShimKernelRun* run) {
    each_thread(run, [&](uint64_t, uint32_t) {
        __atomic_fetch_add(&counter, static_cast<int>(scale[0]), __ATOMIC_RELAXED);
    });
}

void add_bytes(const CudaShimKernelRun* run) {
    auto* to = argument<unsigned char*>(run, 0);
    const auto* from = argument<const unsigned char*>(run, 1);
    const auto count = argument<uint64_t>(run, 2);
    each_thread(run, [&](uint64_t block, uint32_t thread) {
        const uint64_t i = block * run->block[0] + thread;
        if (i < count) to[i] = static_cast<unsigned char>(to[i] + from[i]);
    });
}

// Keeps a worker busy for the given number of milliseconds, then writes.
void slow(const CudaShimKernelRun* run) {
    const uint64_t end = services->nanoseconds() + argument<uint64_t>(run, 0) * 1000000;
    while (services->nanoseconds() < end) {
    }
    *argument<uint64_t*>(run, 1) = argument<uint64_t>(run, 2);
}

}  // namespace

MODULE(kernel<>("empty", empty),
       kernel<float, const float*, float*, uint64_t>("saxpy", saxpy),
       kernel<char, double*, Mixed, short, int64_t>("mixed", mixed),
       kernel<uint32_t*>("geometry", geometry),
       kernel<int*, int*>("reverse", reverse_threads, true, reverse_split),
       kernel<int*>("warp_sum", warp_sum, true),
       kernel<int*, int*, int>("grid_rounds", grid_rounds, true),
       kernel<>("add_counter", add_counter),
       kernel<unsigned char*, const unsigned char*, uint64_t>("add_bytes", add_bytes),
       kernel<uint64_t, uint64_t*, uint64_t>("slow", slow),
       kernel<>("bounded", empty, false, nullptr, 1024, 64),
       kernel<>("greedy", empty, false, nullptr, 48 << 10),
       variable("counter", CUDA_SHIM_SYMBOL_DEVICE_VARIABLE, counter),
       variable("scale", CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE, scale),
       variable("shared_value", CUDA_SHIM_SYMBOL_MANAGED_VARIABLE, shared_value),
       variable("image", CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE, image))
