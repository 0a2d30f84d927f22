template <typename T> __inline__ __device__ T warp_sum(T value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}
__inline__ __device__ float block_sum(float value) {
    static __shared__ float shared[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = warp_sum(value);
    if (lane == 0) shared[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    if (warp == 0) value = warp_sum(value);
    return value;
}
extern "C" __global__ void sum(const float* x, float* out, int n) {
    float value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) value += x[i];
    value = block_sum(value);
    if (threadIdx.x == 0) atomicAdd(out, value);
}
