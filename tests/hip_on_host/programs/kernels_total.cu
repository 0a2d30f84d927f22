extern "C" __global__ void total(const float* x, float* out, int n) {
    extern __shared__ float partial[];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
    float mine = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n) mine += x[i + blockDim.x];
    partial[tid] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half) partial[tid] = mine = mine + partial[tid + half];
        __syncthreads();
    }
    if (tid != 0) return;
    out[blockIdx.x] = partial[0];
}
