extern "C" __global__ void fixed_3(int* p, int i) { __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
extern "C" __global__ void with_char(int* p, int i) { extern __shared__ char d[]; __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + d[i]; }
