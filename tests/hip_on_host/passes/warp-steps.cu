// --- input ---
extern "C" __global__ void k(float* x) {
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    x[t] = s[0];
}
// --- after warp-steps ---
extern "C" __global__ void k(float* x) {
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    { __syncwarp(); auto cuda_shim_step = s[t] + ( s[t + 16]); __syncwarp(); s[t] = cuda_shim_step; __syncwarp(); }
    { __syncwarp(); auto cuda_shim_step = s[t] + ( s[t + 8]); __syncwarp(); s[t] = cuda_shim_step; __syncwarp(); }
    x[t] = s[0];
}
// --- input ---
__device__ void last(volatile float* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
}
extern "C" __global__ void k(float* x) {
    __shared__ float s[128];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) last(s, threadIdx.x);
    x[0] = s[0];
}
// --- after warp-steps ---
__device__ void last(volatile float* s, int t) {
    { __syncwarp(); auto cuda_shim_step = s[t] + ( s[t + 32]); __syncwarp(); s[t] = cuda_shim_step; __syncwarp(); }
    { __syncwarp(); auto cuda_shim_step = s[t] + ( s[t + 16]); __syncwarp(); s[t] = cuda_shim_step; __syncwarp(); }
}
extern "C" __global__ void k(float* x) {
    __shared__ float s[128];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) last(s, threadIdx.x);
    x[0] = s[0];
}
// --- input ---
extern "C" __global__ void k(float* x) { __shared__ float s[64]; s[threadIdx.x] = 1; __syncthreads(); s[threadIdx.x] += s[threadIdx.x + 1]; x[0] = s[0]; }
// --- after warp-steps ---
extern "C" __global__ void k(float* x) { __shared__ float s[64]; s[threadIdx.x] = 1; __syncthreads(); s[threadIdx.x] += s[threadIdx.x + 1]; x[0] = s[0]; }
// --- input ---
extern "C" __global__ void k(float* x) {
    volatile __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    x[t] = s[31 - t];
}
// --- after warp-steps ---
extern "C" __global__ void k(float* x) {
    volatile __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    x[t] = s[31 - t];
}
// --- input ---
extern "C" __global__ void k(volatile int* flag) { while (*flag == 0) {} }
// --- after warp-steps ---
extern "C" __global__ void k(volatile int* flag) { while (*flag == 0) {} }
