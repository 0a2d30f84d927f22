__device__ int doubled(int x) { return 2 * x; }
__device__ int from_neighbour(int x) {
    __shared__ int all[64];
    all[threadIdx.x] = x;
    __syncthreads();
    return all[threadIdx.x ^ 1];
}
__device__ int through(int x) { return from_neighbour(x) + 1; }
template <class... Ts> __device__ int sum_of(Ts... values) { return (values + ...); }

extern "C" __global__ void guarded(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = doubled(i);
}
extern "C" __global__ void changes_its_parameters(int* out, int n) {
    out += threadIdx.x;
    n -= threadIdx.x;
    *out = n;
}
extern "C" __global__ void unnamed(int* out, int) { out[threadIdx.x] = sum_of(1, 2, (int)threadIdx.x); }
extern "C" __global__ void neighbours(int* out, int n) { out[threadIdx.x] = from_neighbour(threadIdx.x); }
extern "C" __global__ void further(int* out, int n) { out[threadIdx.x] = through(threadIdx.x); }
extern "C" __global__ void polls(int* out, int n) {
    volatile int* flag = out + 63;
    if (threadIdx.x == 63) *flag = 5;
    while (*flag != 5) {}
    if (threadIdx.x < 63) out[threadIdx.x] = 1;
}
