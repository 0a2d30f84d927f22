// Ways through a kernel: recursion, jumps, loops around barriers, early returns.

__device__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion(unsigned* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

extern "C" __global__ void jumps(const int* in, int* out) {
    int value = in[threadIdx.x], steps = 0;
again:
    if (value == 1 || steps > 200) goto done;
    switch (value & 1) {
        case 0:
            value /= 2;
            break;
        case 1:
            value = 3 * value + 1;
        default:
            ++steps;  // odd numbers count twice
    }
    ++steps;
    goto again;
done:
    out[threadIdx.x] = steps;
}

extern "C" __global__ void loops_and_barriers(const float* in, float* out, int rounds) {
    __shared__ float line[130];
    const int t = threadIdx.x;
    line[t + 1] = in[t];
    if (t == 0) line[0] = line[129] = 0;
    __syncthreads();
    int round = 0;
    do {
        const float mean = (line[t] + line[t + 1] + line[t + 2]) / 3.0f;
        __syncthreads();
        line[t + 1] = mean;
        __syncthreads();
    } while (++round < rounds);
    for (int k = 0;; ++k) {
        if (k == 3) break;
        if (k == 1) continue;
        __syncthreads();
        line[t + 1] += k;
    }
    __syncthreads();
    out[t] = line[t + 1];
}

extern "C" __global__ void counted_barriers(const int* in, int* out) {
    const int t = threadIdx.x;
    const int count = __syncthreads_count(in[t] > 50);
    const int all = __syncthreads_and(in[t] >= 0), any = __syncthreads_or(in[t] == 77);
    out[t] = count + 1000 * (all != 0) + 2000 * (any != 0);
}

// Threads leave at different times, and those that stay meet at a barrier.
extern "C" __global__ void early_return(int* out, int n) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (threadIdx.x >= n) return;
    atomicAdd(&total, 1);
    __syncthreads();
    out[threadIdx.x] = total;
}

typedef int (*Operation)(int, int);
__device__ int added(int a, int b) { return a + b; }
__device__ int multiplied(int a, int b) { return a * b; }
__device__ Operation operations[2] = {added, multiplied};

extern "C" __global__ void through_pointers(const int* in, int* out) {
    const Operation chosen = operations[threadIdx.x % 2];
    out[threadIdx.x] = chosen(in[threadIdx.x], 5);
}

union Bits {
    float number;
    unsigned word;
    struct {
        unsigned mantissa : 23;
        unsigned exponent : 8;
        unsigned sign : 1;
    } field;
};

extern "C" __global__ void unions_and_arrays(const float* in, int* out) {
    Bits bits;
    bits.number = in[threadIdx.x];
    int digits[8];
    for (int k = 0; k < 8; ++k) digits[k] = (bits.word >> (4 * k)) & 15;
    int sum = 0, *p = digits;
    while (p != digits + 8) sum += *p++;
    out[threadIdx.x] = bits.field.exponent * 1000 + bits.field.sign * 500 + sum;
}

extern "C" __global__ void many_parameters(char a, short b, int c, long long d, float e, double f, unsigned char g, const double* h, bool i, float2 j,
                                           double* out) {
    out[threadIdx.x] = a + b + c + (double)d + e + f + g + h[threadIdx.x] + (i ? 0.5 : 0) + j.x + j.y;
}

class Stack {
public:
    __device__ Stack() : count_(0) {}
    __device__ void push(int value) { values_[count_++] = value; }
    __device__ int pop() { return values_[--count_]; }
    __device__ bool empty() const { return count_ == 0; }

private:
    int values_[32];
    int count_;
};

// Depth first through a binary tree of indices.
extern "C" __global__ void own_stack(const int* values, int* sums, int nodes) {
    Stack stack;
    stack.push(threadIdx.x);
    int sum = 0;
    while (!stack.empty()) {
        const int node = stack.pop();
        sum += values[node];
        if (2 * node + 1 < nodes) stack.push(2 * node + 1);
        if (2 * node + 2 < nodes) stack.push(2 * node + 2);
    }
    sums[threadIdx.x] = sum;
}
