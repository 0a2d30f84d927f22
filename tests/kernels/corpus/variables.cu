// Variables of the device that the host writes and reads: constant, global, managed.

__constant__ float coefficients[4];
__constant__ int scale_factor = 3;
__device__ unsigned long long counter = 100;
__device__ float table[2][3] = {{1, 2, 3}, {4, 5, 6}};
__managed__ int managed_total = 7;

struct Settings {
    int offset;
    float gain;
    double limits[2];
};
__constant__ Settings settings;

namespace inner {
__device__ int hidden = 5;
}

extern "C" __global__ void polynomial(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = ((coefficients[3] * x[i] + coefficients[2]) * x[i] + coefficients[1]) * x[i] + coefficients[0] * scale_factor;
}

extern "C" __global__ void counting(int* out) {
    const unsigned long long before = atomicAdd(&counter, 2ull);
    out[threadIdx.x] = before % 2 == 0;
    if (threadIdx.x < 3) table[1][threadIdx.x] += table[0][threadIdx.x] * 10;
    if (threadIdx.x == 0) inner::hidden += 1;
}

extern "C" __global__ void by_settings(const int* in, double* out) {
    const int i = threadIdx.x;
    const double value = (in[i] + settings.offset) * settings.gain;
    out[i] = value < settings.limits[0] ? settings.limits[0] : value > settings.limits[1] ? settings.limits[1] : value;
}

extern "C" __global__ void managed() { atomicAdd(&managed_total, (int)threadIdx.x); }

static __device__ int next_value() {
    static __device__ int calls = 0;
    return atomicAdd(&calls, 1);
}
extern "C" __global__ void static_in_function(int* seen) { seen[next_value()] = 1; }
