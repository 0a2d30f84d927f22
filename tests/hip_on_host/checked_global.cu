// Kernels for test_checked_global.py, launched with 4 blocks of 64 threads on 256 ints that are 0, 1, 2, … and 256 that
// are unwritten. Each goes wrong at the line that ends with "// here", or not at all.

#include <cooperative_groups.h>

extern "C" __global__ void blocks_race(volatile int* unused, int* x, int* y) {
    x[threadIdx.x] = blockIdx.x * 64 + threadIdx.x + 1;  // here
}

extern "C" __global__ void threads_race(volatile int* unused, int* x, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x % 2) x[i - 1] += 1;  // here
    else x[i] = -1;
}

extern "C" __global__ void bytes_race(volatile int* unused, int* x, int* y) {
    char* bytes = (char*)(x + blockIdx.x * 64);
    bytes[threadIdx.x] = 100 + threadIdx.x;
    if (threadIdx.x == 40) bytes[17] = 1;  // here
}

__device__ int counter;
extern "C" __global__ void variable_races(volatile int* unused, int* x, int* y) {
    counter = counter + 1;  // here
}

extern "C" __global__ void mixed_race(volatile int* unused, int* x, int* y) {
    if (blockIdx.x == 0) {
        if (threadIdx.x < 32) atomicAdd(x, 1);
        else if (threadIdx.x == 63) x[0] = 1000;  // here
    }
}

extern "C" __global__ void reads_unwritten(volatile int* unused, int* x, int* y) {
    x[blockIdx.x * 64 + threadIdx.x] += y[blockIdx.x * 64 + threadIdx.x];  // here
}

extern "C" __global__ void adds_to_unwritten(volatile int* unused, int* x, int* y) {
    atomicAdd(y + blockIdx.x * 64 + threadIdx.x, 1);  // here
}

// Launched cooperatively: nothing orders the blocks but the grid's barrier, here forgotten.
extern "C" __global__ void grid_without_barrier(volatile int* unused, int* x, int* y) {
    y[blockIdx.x * 64 + threadIdx.x] = 1;
    __syncthreads();
    if (blockIdx.x == 3) x[threadIdx.x] = y[threadIdx.x];  // here
}

// --- nothing wrong

extern "C" __global__ void own_elements(volatile int* unused, int* x, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    y[i] = x[i];
    x[i] = 2 * y[i] + x[i];
    ((char*)y)[4 * i + 1] = 3;
    ((short*)y)[2 * i] = x[i];
}

extern "C" __global__ void neighbours_after_barrier(volatile int* unused, int* x, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    y[i] = x[i];
    __syncthreads();
    x[i] = y[i ^ 1] + y[i ^ 33];
}

extern "C" __global__ void neighbours_of_warp(volatile int* unused, int* x, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    y[i] = x[i];
    __syncwarp();
    x[i] = y[i ^ 1];
}

extern "C" __global__ void one_flag(volatile int* unused, int* x, int* y) {
    y[7] = 1;
    if (x[blockIdx.x * 64 + threadIdx.x] < 0) y[7] = 2;
}

extern "C" __global__ void counted(volatile int* unused, int* x, int* y) {
    atomicAdd(x + threadIdx.x % 4, 1);
    atomicMax(x + 5, (int)threadIdx.x);
}

extern "C" __global__ void last_block_sums(volatile int* unused, int* x, int* y) {
    __shared__ bool last;
    y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&counter, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int b = 0; b < 4; b++) sum += y[b * 64 + threadIdx.x];
        x[threadIdx.x] = sum;
        if (threadIdx.x == 0) counter = 0;
    }
}

extern "C" __global__ void locked(volatile int* unused, int* x, int* y) {
    if (threadIdx.x == 0) {
        while (atomicCAS(y + 128, 0, 1)) {}
        x[0] = x[0] + 1;
        __threadfence();
        atomicExch(y + 128, 0);
    }
}

extern "C" __global__ void handed_over(volatile int* flags, int* x, int* y) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        y[3] = 42;
        __threadfence();
        flags[200] = -1;
    } else if (blockIdx.x == 1) {
        while (flags[200] != -1) {}
        x[0] = y[3];
    }
}

extern "C" __global__ void grid_with_barriers(volatile int* unused, int* x, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int round = 0; round < 3; round++) {
        y[i] = round;
        cooperative_groups::this_grid().sync();
        x[i] = y[(i + 64) % 256] + y[255 - i];
        cooperative_groups::this_grid().sync();
    }
}
