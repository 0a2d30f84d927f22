__shared__ int table[50];
__shared__ char unused[7];
__device__ int from_table(int i) { return table[i]; }
__device__ int own(int i) { __shared__ double a[11]; a[i] = i; __syncthreads(); return (int)a[i + 1]; }
__device__ __noinline__ int through(int i) { return own(i + 1); }
extern "C" {
__global__ void none(int* p) { p[0] = 1; }
__global__ void body(int* p, int i) { __shared__ int a[8]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
__global__ void file(int* p, int i) { table[i] = p[i]; __syncthreads(); p[0] = table[i + 1]; }
__global__ void file_by_call(int* p, int i) { p[0] = from_table(i); }
__global__ void by_call(int* p, int i) { p[0] = own(i); }
__global__ void by_two_calls(int* p, int i) { p[0] = through(i); }
__global__ void both(int* p, int i) {
    __shared__ char a[3]; a[i] = p[i]; table[i] = 1; __syncthreads(); p[0] = a[i + 1] + table[i + 1] + own(i);
}
__global__ void dynamic(int* p, int i) {
    extern __shared__ int rest[]; __shared__ short a[5];
    rest[i] = p[i]; a[i] = p[i]; __syncthreads(); p[0] = rest[i + 1] + a[i + 1];
}
__global__ void unread(int* p) { __shared__ int a[8]; a[0] = 1; p[0] = 1; }
}
