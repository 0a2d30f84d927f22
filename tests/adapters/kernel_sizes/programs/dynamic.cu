__device__ int helper(int i) { extern __shared__ double d[]; return d[i]; }
extern "C" __global__ void fixed_3(int* p, int i) { __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
extern "C" __global__ void fixed_20(int* p, int i) { __shared__ int a[5]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
extern "C" __global__ void with_helper(int* p, int i) { __shared__ int a[5]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + helper(i); }
extern "C" __global__ void dynamic_alone(int* p, int i) { p[0] = helper(i); }
