__device__ int divide(int a, int b) {
    return a / b;
}
__device__ int descend(volatile int* x, int n) {
    volatile int room[512];
    room[n % 512] = x[0];
    return descend(x, n + 1) + room[n % 512];
}
extern "C" __global__ void bad_pointer(int* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 37)
        *(volatile int*)64 = x[0];
}
extern "C" __global__ void division(int* x) {
    x[threadIdx.x] = divide(x[0], threadIdx.x - 9);
}
extern "C" __global__ void trapping(int* x) {
    __syncthreads();
    if (threadIdx.x == 3)
        __trap();
}
extern "C" __global__ void asserting(int* x) {
    assert(threadIdx.x != 4);
}
extern "C" __global__ void overflow(int* x) {
    x[1] = descend(x, threadIdx.x);
}
extern "C" __global__ void fine(int* x) {
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
}
