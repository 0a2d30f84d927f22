// Shared memory, static and dynamic.

// One piece of dynamic shared memory, taken apart by hand.
extern "C" __global__ void three_arrays(const int* in, double* out, int n) {
    extern __shared__ __align__(16) unsigned char memory[];
    double* doubles = reinterpret_cast<double*>(memory);
    int* ints = reinterpret_cast<int*>(doubles + n);
    char* chars = reinterpret_cast<char*>(ints + n);
    const int t = threadIdx.x;
    doubles[t] = in[t] * 0.5;
    ints[t] = in[t] * 3;
    chars[t] = (char)(in[t] % 100);
    __syncthreads();
    const int other = n - 1 - t;
    out[t] = doubles[other] + ints[other] + chars[other];
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, int n) {
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (bins[i]) atomicAdd(out + i, bins[i]);
}

extern "C" __global__ void bitonic_sort(float* values) {
    __shared__ float s[512];
    const unsigned t = threadIdx.x;
    s[t] = values[t];
    __syncthreads();
    for (unsigned k = 2; k <= 512; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            const unsigned other = t ^ j;
            if (other > t) {
                const bool ascending = (t & k) == 0;
                if ((s[t] > s[other]) == ascending) {
                    const float kept = s[t];
                    s[t] = s[other];
                    s[other] = kept;
                }
            }
            __syncthreads();
        }
    values[t] = s[t];
}

struct __align__(8) Pair {
    float weight;
    int index;
};

extern "C" __global__ void structs_2d(const float* in, float* out, int width) {
    __shared__ Pair pairs[8][8 + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    pairs[y][x].weight = in[y * width + x];
    pairs[y][x].index = y * 10 + x;
    __syncthreads();
    const Pair p = pairs[x][y];
    out[y * width + x] = p.weight * p.index;
}

__device__ int neighbour(const int* row, int at, int size) { return row[(at + 1) % size]; }

// A thread that has nothing to do still takes part in the barriers.
extern "C" __global__ void guarded_barriers(const int* in, int* out, int n) {
    __shared__ int row[96];
    const int t = threadIdx.x;
    if (t < n) row[t] = in[t];
    __syncthreads();
    int value = 0;
    for (int round = 0; round < 3; ++round) {
        if (t < n) value = neighbour(row, t, n) * 2;
        __syncthreads();
        if (t < n) row[t] = value + round;
        __syncthreads();
    }
    if (t < n) out[t] = row[t];
}
