// --- input ---
extern "C" __global__ void k(float* x) { __shared__ alignas(16) float s[64]; s[threadIdx.x] = 1; x[0] = s[1]; }
// --- after leading-alignment ---
extern "C" __global__ void k(float* x) { alignas(16) __shared__  float s[64]; s[threadIdx.x] = 1; x[0] = s[1]; }
// --- input ---
extern "C" __global__ void k(float* x) { __shared__ __align__(16) float s[64]; s[threadIdx.x] = 1; x[0] = s[1]; }
// --- after leading-alignment ---
extern "C" __global__ void k(float* x) { __shared__ __align__(16) float s[64]; s[threadIdx.x] = 1; x[0] = s[1]; }
// --- input ---
__device__ alignas(32) int a[4];
extern "C" __global__ void k(float* x) { x[0] = a[0]; }
// --- after leading-alignment ---
alignas(32) __device__  int a[4];
extern "C" __global__ void k(float* x) { x[0] = a[0]; }
// --- input ---
struct alignas(8) Pair { int a, b; };
extern "C" __global__ void k(float* x) { Pair p = {1, 2}; x[0] = p.b; }
// --- after leading-alignment ---
struct alignas(8) Pair { int a, b; };
extern "C" __global__ void k(float* x) { Pair p = {1, 2}; x[0] = p.b; }
// --- input ---
extern "C" __global__ void k(float* x) { alignas(16) float s[4] = {}; x[0] = s[1]; }
// --- after leading-alignment ---
extern "C" __global__ void k(float* x) { alignas(16) float s[4] = {}; x[0] = s[1]; }
// --- input ---
__constant__ alignas(alignof(double)) char bytes[8];
extern "C" __global__ void k(float* x) { x[0] = bytes[3]; }
// --- after leading-alignment ---
alignas(alignof(double)) __constant__  char bytes[8];
extern "C" __global__ void k(float* x) { x[0] = bytes[3]; }
