// Alignment behind the memory's word, as CUDA's compilers take it.

extern "C" __global__ void of_shared_memory(int* out, int n) {
    __shared__ alignas(16) float s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    float4 v = *(float4*)&s[(t & 15) * 4];
    out[blockIdx.x * 64 + t] = (int)(v.x + v.w) + n;
}

extern "C" __global__ void before_the_memory(int* out, int n) {
    alignas(16) __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    int4 v = ((int4*)s)[t & 15];
    out[blockIdx.x * 64 + t] = v.y * 100 + v.z + n;
}
