// Sums and scans of 64 numbers as samples from before Volta have them: one warp, volatile shared memory, no barrier.
extern "C" __global__ void in_kernel(const int* x, int* out) {
    volatile __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = x[t];
    s[t + 32] = x[t + 32];
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) out[0] = s[0];
}

__device__ void reduce_warp(volatile int* s, int t) {
    s[t] = s[t] + s[t + 32];
    s[t] = s[t] + s[t + 16];
    s[t] = s[t] + s[t + 8];
    s[t] = s[t] + s[t + 4];
    s[t] = s[t] + s[t + 2];
    s[t] = s[t] + s[t + 1];
}
extern "C" __global__ void in_function(const int* x, int* out) {
    extern __shared__ int s[];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) reduce_warp(s, t);
    if (t == 0) out[0] = s[0];
}

template <int Size> __global__ void in_template(const int* x, int* out) {
    __shared__ int shared[Size];
    const int t = threadIdx.x;
    int sum = x[t];
    shared[t] = sum;
    __syncthreads();
    if (t < 32) {
        volatile int* s = shared;
        if (Size >= 64) s[t] = sum = sum + s[t + 32];
        if (Size >= 32) s[t] = sum = sum + s[t + 16];
        if (Size >= 16) s[t] = sum = sum + s[t + 8];
        if (Size >= 8) s[t] = sum = sum + s[t + 4];
        if (Size >= 4) s[t] = sum = sum + s[t + 2];
        if (Size >= 2) s[t] = sum = sum + s[t + 1];
    }
    if (t == 0) out[0] = shared[0];
}

__device__ int scan_warp(int value, volatile int* s, int size) {
    int at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    s[at] = 0;
    at += size;
    s[at] = value;
    for (int offset = 1; offset < size; offset <<= 1) s[at] += s[at - offset];
    return s[at];
}
extern "C" __global__ void scan(const int* x, int* out) {
    __shared__ int s[128];
    out[threadIdx.x] = scan_warp(x[threadIdx.x], s, 32);
}

extern "C" __global__ void by_conditions(const int* x, int* out) {
    __shared__ volatile int s[32];
    const int lane = threadIdx.x;
    s[lane] = x[lane];
    if (lane >= 1) s[lane] = s[lane - 1] + s[lane];
    if (lane >= 2) s[lane] = s[lane - 2] + s[lane];
    if (lane >= 4) s[lane] = s[lane - 4] + s[lane];
    if (lane >= 8) s[lane] = s[lane - 8] + s[lane];
    if (lane >= 16) s[lane] = s[lane - 16] + s[lane];
    out[lane] = s[lane];
}

// With barriers: nothing is added, and threads of a block that has no whole warp go on.
extern "C" __global__ void with_barriers(const int* x, int* out) {
    volatile __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}
