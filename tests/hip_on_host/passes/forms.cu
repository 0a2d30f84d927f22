// --- input ---
extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1; }
// --- after forms ---
kernel k: a loop over the threads
// --- input ---
extern "C" __global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
// --- after forms ---
kernel k: a loop over the threads
// --- input ---
extern "C" __global__ void k(float* x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }
// --- after forms ---
kernel k: loops, split at the barriers
// --- input ---
extern "C" __global__ void k(volatile int* flag) { while (*flag == 0) {} }
// --- after forms ---
kernel k: one thread after the other, fibres where one waits: its threads may wait for each other without a barrier
// --- input ---
__device__ int deep(int v) { return v ? __shfl_sync(~0u, deep(v - 1), 0) : 0; }
extern "C" __global__ void k(int* x) { x[threadIdx.x] = deep(2); }
// --- after forms ---
kernel k: fibres: a warp operation in a conditional expression
// --- input ---
extern "C" __global__ void a(int* x) { x[threadIdx.x] = 1; }
template <class T> __global__ void b(T* x) { x[threadIdx.x] = 2; }
template __global__ void b<int>(int*);
// --- after forms ---
kernel a: a loop over the threads
kernel b: a loop over the threads
