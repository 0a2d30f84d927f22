extern "C" __global__ void k(unsigned* out) {
    __shared__ unsigned s[96];
    unsigned x = threadIdx.x;
    for (int r = 0; r < 4; ++r) {
        unsigned k = 0;
        while (k < (x & 7u)) { k++; x += k; }
        s[threadIdx.x] = x;
        __syncthreads();
        x ^= s[(threadIdx.x + 1) % 96] * 3u;
        __syncthreads();
    }
    out[blockIdx.x * 96 + threadIdx.x] = x;
}
