// Prefix sums: with twice the additions, with up and down sweeps, and inside warps.

extern "C" __global__ void hillis_steele(const int* in, int* out) {
    extern __shared__ int two[];
    int from = 0, to = 1;
    two[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance <<= 1) {
        const int own = from * blockDim.x + threadIdx.x;
        two[to * blockDim.x + threadIdx.x] = threadIdx.x >= distance ? two[own] + two[own - distance] : two[own];
        __syncthreads();
        from = 1 - from;
        to = 1 - to;
    }
    out[threadIdx.x] = two[from * blockDim.x + threadIdx.x];
}

extern "C" __global__ void blelloch(const float* in, float* out, int n) {
    extern __shared__ float tree[];
    const int t = threadIdx.x;
    tree[2 * t] = in[2 * t];
    tree[2 * t + 1] = in[2 * t + 1];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            const float kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    out[2 * t] = tree[2 * t];
    out[2 * t + 1] = tree[2 * t + 1];
}

extern "C" __global__ void of_warps(const long long* in, long long* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    long long value = in[i];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const long long below = __shfl_up_sync(0xffffffffu, value, d);
        if (lane >= d) value += below;
    }
    out[i] = value;
}
