typedef int (*Function)(int);

__device__ int data[8];
__device__ Function functions[2];
__device__ __noinline__ int twice(int x) { return 2 * x; }

// Writes n elements of 64: beyond the frame, over the addresses that functions return to.
extern "C" __global__ void loop(const int* p, int n, int* out) {
    int a[64];
    for (int i = 0; i < n; i++) a[i] = i * p[i & 3];
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += a[i];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void barrier(const int* p, int n, int* out) {
    __shared__ int shared[32];
    int a[64];
    for (int i = 0; i < n; i++) a[i] = i * p[i & 3];
    shared[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    int sum = shared[31 - threadIdx.x];
    for (int i = 0; i < 64; i++) sum += a[i];
    out[threadIdx.x] = sum;
}

__device__ __noinline__ int callee(const int* p, int n) {
    int a[64];
    for (int i = 0; i < n; i++) a[i] = i * p[i & 3];
    return a[n & 63];
}
extern "C" __global__ void call(const int* p, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += callee(p, n + (p[i] - p[i]));
    out[threadIdx.x] = sum;
}

// Writes somewhere else.
extern "C" __global__ void far(const int* p, int n, int* out) {
    volatile int a[4];
    for (int i = 0; i < 100000; ++i) a[i + n] = p[i & 3];
    out[0] = a[1];
}

extern "C" __global__ void null_call(const int*, int n, int* out) { out[0] = functions[n & 1](3); }
extern "C" __global__ void data_call(const int*, int n, int* out) { out[0] = ((Function)(void*)&data[n & 7])(3); }
extern "C" __global__ void value_call(const int*, int n, int* out) {
    out[0] = ((Function)(0x1010101010101010ll * n))(3);
}
extern "C" __global__ void right_call(const int*, int n, int* out) {
    *(volatile Function*)&functions[n & 1] = twice;
    out[0] = ((volatile Function*)functions)[n & 1](21);
}

extern "C" __global__ void right(const int* p, int n, int* out) {
    __shared__ int shared[32];
    shared[threadIdx.x] = threadIdx.x + p[0] * n;
    __syncthreads();
    out[threadIdx.x] = shared[31 - threadIdx.x];
}
