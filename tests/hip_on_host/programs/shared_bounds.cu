extern "C" __global__ void within_static(float* out, int at) {
    __shared__ float array[64];
    array[threadIdx.x] = threadIdx.x;
    __syncthreads();
    array[threadIdx.x + at] = 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = array[63 - threadIdx.x];
}
extern "C" __global__ void within_dynamic(float* out, int at) {
    extern __shared__ float room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    room[threadIdx.x + at] = 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = room[63 - threadIdx.x];
}
