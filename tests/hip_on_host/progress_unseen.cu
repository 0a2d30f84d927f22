// Barriers, warp operations and loops that wait, in functions that a kernel does not call by their names.

typedef int (*Step)(int*, int);
__device__ int turn(int* s, int t) {  // every thread's value goes to the one before it
    __syncthreads();
    const int value = s[(t + 1) % blockDim.x];
    __syncthreads();
    s[t] = value;
    return value;
}
__device__ int keep(int* s, int t) { return s[t] += 1000; }
__device__ int warp_sum(int*, int t) {
    int v = t;
    for (int by = 16; by; by /= 2) v += __shfl_xor_sync(0xffffffffu, v, by);
    return v;
}
__device__ Step steps[3] = {keep, turn, warp_sum};

extern "C" __global__ void by_pointer(int* out, int which) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = 10 * blockIdx.x + t;
    int got = 0;
    for (int i = 0; i < 3; ++i) got = steps[which](s, t);
    out[blockIdx.x * blockDim.x + t] = got;
}

// Threads before `first` have returned when the others come to the barrier.
extern "C" __global__ void late(int* out, int first) {
    __shared__ int s[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i;
    out[i] = -i;
    if (t < first) return;
    Step step = turn;
    out[i] = step(s, t);
}

template <Step step> __global__ void by_argument(int* out) {
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x * threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = step(s, threadIdx.x);
}

struct Shape {
    __device__ virtual int area(int* s, int t) const = 0;
};
struct Plain : Shape {
    __device__ int area(int* s, int t) const override { return s[t]; }
};
struct Meeting : Shape {
    __device__ int area(int* s, int t) const override { return turn(s, t); }
};
extern "C" __global__ void by_virtual(int* out, int meets) {
    __shared__ int s[256];
    Plain plain;
    Meeting meeting;
    const Shape* shape = &plain;
    if (meets) shape = &meeting;
    s[threadIdx.x] = 7 * threadIdx.x;
    out[threadIdx.x] = shape->area(s, threadIdx.x);
}

struct Barrier {
    __device__ Barrier() { __syncthreads(); }
    __device__ ~Barrier() { __syncthreads(); }
};
extern "C" __global__ void by_constructor(int* out) {
    __shared__ int s[256];
    const int t = threadIdx.x, n = blockDim.x;
    s[t] = t;
    for (int i = 0; i < 4; ++i) {
        int next;
        {
            Barrier both;
            next = s[(t + 1) % n];
        }
        s[t] = next;
    }
    out[t] = s[t];
}
struct Turned {
    int* s;
};
__device__ int operator+(Turned a, int t) { return turn(a.s, t); }
extern "C" __global__ void by_operator(int* out) {
    __shared__ int s[256];
    s[threadIdx.x] = 3 * threadIdx.x;
    const Turned all = {s};
    out[threadIdx.x] = all + threadIdx.x;
}


// Thread t waits for the value that thread t + 1 leaves.
__device__ int await(int* flag, int) {
    int value;
    while ((value = *(volatile int*)flag) == 0) {}
    return value;
}
__device__ Step waiting = await;
extern "C" __global__ void wait_by_pointer(int* flags, int* out) {
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const int got = t + 1 < blockDim.x ? waiting(flags + i + 1, 0) : 1;
    out[i] = got;
    __threadfence();
    atomicExch(flags + i, got + 1);
}
