// Kernels for test_checked.py: each goes wrong in one way, at the line that ends with "// here", or not at all.
// All are launched with 64 threads on 64 floats unless the test says otherwise.

#define SIZE 64

extern "C" __global__ void write_behind(float* x) {
    int i = threadIdx.x;
    x[i + 3] = 1;  // here
}

__device__ float load(const float* from, int i) {
    return __ldg(from + i);  // here read_behind
}
extern "C" __global__ void read_behind(float* x) {
    if (load(x, 2 * threadIdx.x) < 0) x[0] = 1;
}

extern "C" __global__ void read_before(float* x) {
    if (threadIdx.x == 7) x[1] = x[-1];  // here
}

extern "C" __global__ void atomic_behind(float* x) {
    if (threadIdx.x < 2)
        atomicAdd(&x[SIZE], 1.0f);  // here
}

extern "C" __global__ void null_pointer(float* x) {
    float* none = nullptr;
    if (threadIdx.x == 5)
        none[3] = x[0];  // here
}

extern "C" __global__ void use_freed(float* x) {
    x[threadIdx.x] += 1;  // here
}

extern "C" __global__ void misaligned(float* x) {
    if (threadIdx.x == 1)
        *(double*)(x + 1) = 1;  // here
}

struct Wide { double value[4]; };
extern "C" __global__ void copy_behind(Wide* x) {
    Wide one = x[0];
    x[threadIdx.x / 4] = one;  // here
}

extern "C" __global__ void copy_bytes(char* x) {
    if (threadIdx.x == 0)
        memcpy(x + 200, x, 57);  // here
}

__device__ int table[3] = {1, 2, 3};
extern "C" __global__ void variable_behind(float* x) {
    x[threadIdx.x] = table[threadIdx.x];  // here
}

extern "C" __global__ void shared_behind(float* x) {
    __shared__ float tile[33];
    tile[threadIdx.x] = x[threadIdx.x];  // here
    __syncthreads();
}

extern "C" __global__ void dynamic_behind(float* x) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = x[threadIdx.x];  // here
}

extern "C" __global__ void unwritten(float* x) {
    __shared__ float tile[SIZE];
    if (threadIdx.x < 32) tile[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] += tile[threadIdx.x];  // here
}

extern "C" __global__ void race(float* x) {
    __shared__ float tile[SIZE];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x > 0) {
        float left = tile[threadIdx.x - 1];  // here
        tile[threadIdx.x] += left;
    }
}

extern "C" __global__ void race_of_reads(float* x) {
    __shared__ float total;
    if (threadIdx.x == 0) total = x[0];
    x[threadIdx.x] = total;  // here
}

extern "C" __global__ void race_of_counts(float* x) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x % 2) atomicAdd(&count, 1);
    else if (threadIdx.x == 10) count = 70;  // here
}

extern "C" __global__ void race_of_warps(float* x) {
    __shared__ float tile[SIZE];
    tile[threadIdx.x] = x[threadIdx.x];  // here
    __syncwarp();
    x[threadIdx.x] = tile[SIZE - 1 - threadIdx.x];
}

__device__ void meet() {
    __syncthreads();  // here divergent
}
extern "C" __global__ void divergent(float* x) {
    if (threadIdx.x < 40)
        __syncthreads();
    else
        meet();
}

extern "C" __global__ void freed_heap(float* x) {
    int* list = (int*)malloc(4 * sizeof(int));
    list[3] = 1;
    free(list);
    x[threadIdx.x] = list[3];  // here
}

extern "C" __global__ void heap_behind(float* x) {
    int* list = new int[4];
    list[threadIdx.x] = 1;  // here
    delete[] list;
}

extern "C" __global__ void heap_before(float* x) {
    int* lists[2] = {new int[4], new int[4]};
    if (threadIdx.x == 9) lists[1][-1] = 1;  // here
    delete[] lists[0];
    delete[] lists[1];
}

extern "C" __global__ void freed_twice(float* x) {
    void* memory = malloc(4);
    free(memory);
    free(memory);  // here
}

// --- nothing wrong

extern "C" __global__ void orderly(float* x) {
    __shared__ float tile[SIZE];
    __shared__ int found, count;
    extern __shared__ float more[];
    found = 1;  // by all threads, and the same value
    if (threadIdx.x == 0) count = 0;
    tile[threadIdx.x] = more[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    atomicAdd(&count, found);
    float sum = tile[SIZE - 1 - threadIdx.x] + more[threadIdx.x ^ 1];
    for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
    __syncthreads();
    tile[threadIdx.x] = sum;
    __syncwarp();
    x[threadIdx.x] = tile[threadIdx.x ^ 1] + count;
}

extern "C" __global__ void early(float* x) {
    if (threadIdx.x >= 40) return;
    __syncthreads();  // here
    x[threadIdx.x] = 1;
}
