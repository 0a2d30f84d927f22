// Atomics: every operation, type and scope.

extern "C" __global__ void integers(int* i, unsigned* u) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(i + 0, t);
    atomicSub(i + 1, t);
    atomicMin(i + 2, t - 50);
    atomicMax(i + 3, t - 50);
    atomicAnd(i + 4, ~(1 << (t % 31)));
    atomicOr(i + 5, 1 << (t % 20));
    atomicXor(i + 6, t);
    atomicAdd(u + 0, 3u);
    atomicSub(u + 1, 1u);
    atomicMin(u + 2, 1000u - t);
    atomicMax(u + 3, (unsigned)t * 5);
    atomicAnd(u + 4, ~(1u << (t % 8)));
    atomicOr(u + 5, 1u << 31);
    atomicXor(u + 6, 1u << (t % 32));
    atomicInc(u + 7, 9u);
    atomicDec(u + 8, 9u);
}

extern "C" __global__ void wide(unsigned long long* u, long long* s) {
    const unsigned long long t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(u + 0, t << 20);
    atomicMin(u + 1, (1ull << 40) + t);
    atomicMax(u + 2, t << 33);
    atomicAnd(u + 3, ~(1ull << (t % 64)));
    atomicOr(u + 4, 1ull << (t % 40));
    atomicXor(u + 5, t);
    atomicMin(s + 0, -(long long)t);
    atomicMax(s + 1, (long long)t - 1000);
    atomicAdd((unsigned long long*)(s + 2), (unsigned long long)-3ll);
}

extern "C" __global__ void floating(float* f, double* d) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(f, 0.5f);
    atomicAdd(f + 1 + t % 4, 1.0f);
    atomicAdd(d, (double)t);
    atomicAdd(&d[1 + (t & 1)], 0.25);
}

// No two threads get the same ticket, and exchanging in a ring loses nothing.
extern "C" __global__ void exchanges(int* ticket, int* taken, unsigned* ring, float* last) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    taken[atomicAdd(ticket, 1)] = t;
    unsigned value = 1u << (t % 32);
    value = atomicExch(ring, value);
    atomicAdd(ring + 1, value & 0xffffu);
    atomicExch(last, 7.5f);
}

__device__ float atomicMaxFloat(float* address, float value) {
    int* bits = (int*)address;
    int old = *bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) break;
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
    return __int_as_float(old);
}

__device__ double atomicMulDouble(double* address, double value) {
    unsigned long long* bits = (unsigned long long*)address;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(__longlong_as_double(assumed) * value));
    } while (assumed != old);
    return __longlong_as_double(old);
}

extern "C" __global__ void by_compare_and_swap(const float* in, float* largest, double* product) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMaxFloat(largest, in[t]);
    if (t < 10) atomicMulDouble(product, 2.0);
}

#if __CUDA_ARCH__ >= 600
extern "C" __global__ void scopes(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
    __shared__ int in_block;
    if (threadIdx.x == 0) in_block = 0;
    __syncthreads();
    atomicAdd_block(&in_block, 1);
    atomicAdd_system(i, 2);
    atomicMax_system(i + 1, (int)threadIdx.x);
    atomicOr_block(u, 1u << (threadIdx.x % 16));
    atomicCAS_system(u + 1, 0u, 5u);
    atomicAdd_system(l, 1ull << 33);
    atomicExch_block(l + 1, 77ull);
    atomicAdd_block(f, 1.0f);
    atomicAdd_system(d, 0.5);
    atomicSub_system(i + 2, 1);
    atomicInc_system(u + 2, 1000u);
    __syncthreads();
    if (threadIdx.x == 0) i[3] = in_block;
}
#endif

// A lock that only one thread of a warp takes at a time.
extern "C" __global__ void lock(int* mutex, int* counter) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(mutex, 0, 1) != 0) {}
        __threadfence();
        *(volatile int*)counter = *(volatile int*)counter + 1;
        __threadfence();
        atomicExch(mutex, 0);
    }
}
