// Sums and extremes, in the ways that people write them.

extern "C" __global__ void tree_in_shared(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride) part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__inline__ __device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__inline__ __device__ float block_sum(float value) {
    static __shared__ float of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? of_warp[lane] : 0.0f;
    if (warp == 0) value = warp_sum(value);
    return value;
}

extern "C" __global__ void by_shuffles(const float* in, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

extern "C" __global__ void dot_double(const double* a, const double* b, double* out, int n) {
    extern __shared__ double products[];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += a[i] * b[i];
    products[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s; s >>= 1) {
        if (threadIdx.x < s) products[threadIdx.x] += products[threadIdx.x + s];
        __syncthreads();
    }
    if (!threadIdx.x) *out = products[0];
}

struct Found {
    float value;
    int at;
};

extern "C" __global__ void argmax(const float* in, Found* out, int n) {
    __shared__ Found best[128];
    Found mine = {-3.4e38f, -1};
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] > mine.value) mine = Found{in[i], i};
    best[threadIdx.x] = mine;
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s) {
            const Found& other = best[threadIdx.x + s];
            Found& own = best[threadIdx.x];
            if (other.value > own.value || (other.value == own.value && other.at < own.at)) own = other;
        }
    }
    if (threadIdx.x == 0) *out = best[0];
}

__device__ unsigned int blocks_done = 0;

// The last block to finish adds up what the others have left.
extern "C" __global__ void last_block(const float* in, volatile float* parts, float* out, int n) {
    __shared__ float shared[64];
    __shared__ bool is_last;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = shared[0];
        __threadfence();
        const unsigned before = atomicInc(&blocks_done, gridDim.x);
        is_last = before == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float total = 0;
        for (int b = 0; b < gridDim.x; ++b) total += parts[b];
        *out = total;
        blocks_done = 0;
    }
}
