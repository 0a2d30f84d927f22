extern "C" __global__ void fixed_3(int* p, int i) { __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
extern "C" __global__ void with_128(int* p, int i) { extern __shared__ __align__(128) char d[]; __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + d[i]; }
extern "C" __global__ void alone_128(int* p, int i) { extern __shared__ __align__(128) char d[]; p[0] = d[i]; }
