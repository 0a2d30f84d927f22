extern "C" __global__ void masked(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[4] = {};
    for (unsigned i = 0; i < n; ++i) own[i & 3u] = own[i & 3u] * 5u + in[t] + i;
    out[t] = own[0] + own[1] * 3u + own[2] * 7u + own[3] * 11u;
}
extern "C" __global__ void remainder_(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[3] = {};
    for (unsigned i = 0; i < n; ++i) own[i % 3u] = own[i % 3u] * 5u + in[t] + i;
    out[t] = own[0] + own[1] * 3u + own[2] * 7u;
}
extern "C" __global__ void of_char(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = 200; i < 200u + n; ++i) sum = sum * 3u + in[(unsigned char)i];
    out[t] = sum + in[t];
}
extern "C" __global__ void of_short(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = 32700; i < 32700u + n; ++i) sum = sum * 3u + in[(short)i < 0 ? 7 : (short)i - 32700];
    out[t] = sum + in[t];
}
extern "C" __global__ void turned(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[(t & ~7u) | ((t + n) & 7u)] = in[t % 96u] + in[(unsigned char)t];
}
extern "C" __global__ void of_block(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned table[256];
    table[threadIdx.x] = in[t];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = 0; i < n; ++i) sum = sum * 3u + table[(threadIdx.x + i) & 255u] + table[i % 5u];
    out[t] = sum;
}
extern "C" __global__ void of_constants(const unsigned* in, unsigned* out, unsigned n) {
    static const unsigned table[4] = {3, 1, 4, 5};
    const unsigned x = table[threadIdx.x & 3] * 7u;
    __syncthreads();
    out[blockIdx.x * 256u + threadIdx.x] = x;
}
