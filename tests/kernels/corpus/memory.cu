// Loads, stores and copies in device code; qualifiers and hints.

extern "C" __global__ void hints(const float* __restrict__ in, const int2* pairs, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float a = __ldg(in + i), b = __ldcg(&in[i]), c = __ldcs(in + i), d = __ldca(in + i);
    const int2 p = __ldg(pairs + i);
    __stcg(out + 2 * i, a + b + c + d);
    __stcs(&out[2 * i + 1], (float)(p.x - p.y));
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void more_hints(const double* in, double* out) {
    const int i = threadIdx.x;
    __stwb(out + i, __ldlu(in + i) + __ldcv(in + i));
    __stwt(out + 64 + i, 3.0);
}
#endif

struct Record {
    char name[8];
    int values[6];
};

extern "C" __global__ void block_copies(const Record* in, Record* out, unsigned char* bytes) {
    const int i = threadIdx.x;
    Record r;
    memset(&r, 0, sizeof(r));
    memcpy(&r, in + i, sizeof(r));
    r.values[2] += i;
    out[i] = r;
    memset(bytes + i * 4, i, 4);
}

extern "C" __global__ void __launch_bounds__(128, 4) qualified(const int* __restrict__ in, int* __restrict__ out, const int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __align__(16) int local[4];
#pragma unroll 4
    for (int k = 0; k < 4; ++k) local[k] = in[(i + k) % n];
    volatile int kept = local[0];
    int sum = kept;
#pragma unroll 1
    for (int k = 1; k < 4; ++k) sum += local[k];
    if (__builtin_expect(i < n, 1)) out[i] = sum;
}

__device__ __noinline__ int not_inlined(int x) { return x * 3; }
__host__ __device__ inline int on_both(int x) { return x + 1; }
static __device__ __forceinline__ int inlined(int x) { return not_inlined(on_both(x)); }

extern "C" __global__ void functions(const int* in, int* out) { out[threadIdx.x] = inlined(in[threadIdx.x]); }

// The kernel's parameters as they are, without a copy.
struct Matrix {
    float entries[4][4];
};
#if __CUDA_ARCH__ >= 700
extern "C" __global__ void grid_constant(const __grid_constant__ Matrix m, const float4* in, float4* out) {
    const float4 v = in[threadIdx.x];
    const auto row = [&](int r) { return m.entries[r][0] * v.x + m.entries[r][1] * v.y + m.entries[r][2] * v.z + m.entries[r][3] * v.w; };
    out[threadIdx.x] = make_float4(row(0), row(1), row(2), row(3));
}
#endif

// A linked list in memory of the device's own heap.
struct Node {
    int value;
    Node* next;
};
extern "C" __global__ void heap(int* out) {
    Node* first = nullptr;
    for (int k = 0; k < 5; ++k) {
        Node* node = (Node*)malloc(sizeof(Node));
        if (!node) {
            out[threadIdx.x] = -1;
            return;
        }
        node->value = k * (threadIdx.x + 1);
        node->next = first;
        first = node;
    }
    int sum = 0;
    while (first) {
        sum += first->value;
        Node* next = first->next;
        free(first);
        first = next;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void fences(volatile int* data, volatile int* flags, int* out) {
    if (threadIdx.x == 0) {
        data[blockIdx.x] = 40 + blockIdx.x;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
    __threadfence_block();
    __syncthreads();
    __threadfence_system();
    out[blockIdx.x * blockDim.x + threadIdx.x] = flags[blockIdx.x] * data[blockIdx.x];
}
