// Loops over values in braces, for which NVRTC needs no header.

struct Two { int a, b; };
__device__ Two two(int a, int b) { return {a, b}; }

extern "C" __global__ void binding_in_a_loop(int* out, int n) {
    int s = 0;
    for (auto [i, step] = two(threadIdx.x & 3, 2); i < 12; i += step) s += i;
    __syncthreads();
    for (const auto& [k, v] : {Two{1, n}, Two{2, (int)threadIdx.x}}) s += k * v;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void initialiser_lists(int* out, int n) {
    int s = 0;
    for (int v : {1, (int)threadIdx.x, n}) s += v;
    for (auto& v : {s, 2}) s ^= v * 3;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void hidden_by_a_range(int* out, int n) {
    int v = threadIdx.x, s = 0;
    for (int v : {1, 2, n}) s += v;
    for (auto& n : {7, 8}) s += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s * 100 + v + n;
}
