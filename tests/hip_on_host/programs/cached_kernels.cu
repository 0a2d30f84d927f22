__device__ int counter = 1;
template <int N> __device__ int slots[N];
__global__ void plain(int* x) { x[threadIdx.x] += counter; }
namespace deep {
__global__ void meeting(int* x) { __shared__ int s[64]; s[threadIdx.x] = x[0]; __syncthreads(); x[threadIdx.x] = s[0]; }
}
template <int N> __global__ void sized(int* x) { __syncthreads(); x[threadIdx.x] = N; }
__global__ void jumping(int* x) {
    if (x[0]) goto end;
    __syncthreads();
end:
    x[0] = 1;
}
__global__ void hopping(int* x) {
    if (x[0]) goto end;
    x[0] = 2;
end:
    x[1] = 1;
}
__global__ void striding(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
}
__global__ void waiting(volatile int* x) {
    while (x[0] == 0) {}
}
template <int N> __global__ void special(int* x) { x[threadIdx.x] = N; }
template <> __global__ void special<9>(int* x) { x[threadIdx.x] = 9; }
