extern __shared__ int d[];
extern "C" __global__ void fixed_3(int* p, int i) { __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
