struct Pair { int a, b; };
extern "C" __global__ void reads(const float& v, float* out, const char& c, const Pair& p) {
    out[threadIdx.x] = v * threadIdx.x + c + p.b;
}
extern "C" __global__ void writes(int& v, int* out) {
    if (threadIdx.x == 5) v = 7;
    __syncthreads();
    if (v == 7) out[threadIdx.x] = v + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 6) v += 2;
}
extern "C" __global__ void counts(int& v, int n) {
    if (threadIdx.x < n) atomicAdd(&v, 1);
}
extern "C" __global__ void changes(int& v) { v = v > 2 ? 50 : v + 1; }
extern "C" __global__ void by_array(const int (&table)[4], int* out) { out[threadIdx.x] = table[threadIdx.x % 4]; }
template <class T> __global__ void generic(T v, int* out) { out[threadIdx.x] = v; if (threadIdx.x == 1) v = 9; }
