__device__ int calls = 100;
extern __constant__ float offset;
static __device__ float factor() { return 3; }
__device__ float scale(float x) { return factor() * x - offset; }
__device__ int where() { return blockIdx.x * 1000 + threadIdx.x; }
__device__ int sum_of_block(int value) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, value);
    __syncthreads();
    return sum;
}
extern "C" __global__ void count(int* out) { *out = calls; }
