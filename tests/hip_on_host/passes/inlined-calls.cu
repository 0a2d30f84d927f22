// --- input ---
__device__ int other(int v) { return __shfl_xor_sync(~0u, v, 1); }
extern "C" __global__ void k(int* x) { int a = threadIdx.x; x[a] = other(a); }
// --- after inlined-calls ---
__device__ int other(int v) { return __shfl_xor_sync(~0u, v, 1); }
extern "C" __global__ void k(int* x)  {

#line 2 "k.cu"
int a = threadIdx.x;

{
int cuda_shim_i0_v = (a);

int cuda_shim_i0_result = __shfl_xor_sync(~0u, cuda_shim_i0_v, 1);

#line 2 "k.cu"
x[a] = cuda_shim_i0_result ;
}
} 
#line 2 "k.cu"
// --- input ---
__device__ void wait() { __syncthreads(); }
extern "C" __global__ void k(int* x) { x[threadIdx.x] = 1; wait(); x[threadIdx.x] += x[threadIdx.x + 1]; }
// --- after inlined-calls ---
__device__ void wait() { __syncthreads(); }
extern "C" __global__ void k(int* x)  {

#line 2 "k.cu"
x[threadIdx.x] = 1;

{

#line 1 "k.cu"
__syncthreads();

#line 2 "k.cu"
 (void)0 ;
}

#line 2 "k.cu"
x[threadIdx.x] += x[threadIdx.x + 1];
} 
#line 2 "k.cu"
// --- input ---
__device__ float twice(float v) { return v + v; }
extern "C" __global__ void k(float* x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
// --- after inlined-calls ---
__device__ float twice(float v) { return v + v; }
extern "C" __global__ void k(float* x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
// --- input ---
template <int N> __device__ int sum(int v) { for (int d = N; d; d /= 2) v += __shfl_down_sync(~0u, v, d); return v; }
extern "C" __global__ void k(int* x) { int s = sum<16>(x[threadIdx.x]); if (!threadIdx.x) x[0] = s; }
// --- after inlined-calls ---
template <int N> __device__ int sum(int v) { for (int d = N; d; d /= 2) v += __shfl_down_sync(~0u, v, d); return v; }
extern "C" __global__ void k(int* x)  {

#line 2 "k.cu"
constexpr int cuda_shim_i0_N = (16);
int cuda_shim_i0_v = (x[threadIdx.x]);

#line 1 "k.cu"
for (int cuda_shim_i0_d = cuda_shim_i0_N; cuda_shim_i0_d; cuda_shim_i0_d /= 2) 
#line 1 "k.cu"
cuda_shim_i0_v += __shfl_down_sync(~0u, cuda_shim_i0_v, cuda_shim_i0_d); 

int cuda_shim_i0_result = cuda_shim_i0_v;
int s =  cuda_shim_i0_result ;


#line 2 "k.cu"
if (!threadIdx.x) {
#line 2 "k.cu"
x[0] = s;
}
} 
#line 2 "k.cu"
// --- input ---
__device__ int deep(int v) { return v ? __shfl_sync(~0u, deep(v - 1), 0) : 0; }
extern "C" __global__ void k(int* x) { x[threadIdx.x] = deep(2); }
// --- after inlined-calls ---
__device__ int deep(int v) { return v ? __shfl_sync(~0u, deep(v - 1), 0) : 0; }
extern "C" __global__ void k(int* x)  {

{
int cuda_shim_i0_v = (2);

int cuda_shim_i0_result = cuda_shim_i0_v ? __shfl_sync(~0u, deep(cuda_shim_i0_v - 1), 0) : 0;

#line 2 "k.cu"
x[threadIdx.x] = cuda_shim_i0_result ;
}
} 
#line 2 "k.cu"
