extern "C" __global__ void scan(int* data) {
    int lane = threadIdx.x & 31, value = data[threadIdx.x];
    for (int delta = 1; delta < 32; delta <<= 1) {
        int below = __shfl_up_sync(0xffffffffu, value, delta);
        if (lane >= delta) value += below;
    }
    __shared__ int sums[32];
    if (lane == 31) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        int total = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int delta = 1; delta < 32; delta <<= 1) {
            int below = __shfl_up_sync(~0u, total, delta);
            if (lane >= delta) total += below;
        }
        sums[threadIdx.x] = total;
    }
    __syncthreads();
    if (threadIdx.x >= 32) value += sums[threadIdx.x / 32 - 1];
    data[threadIdx.x] = value;
}
