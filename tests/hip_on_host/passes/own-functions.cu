// --- input ---
__device__ float fminf(float a, float b) { return a < b ? a : b; }
extern "C" __global__ void k(float* x) { x[0] = fminf(x[0], 1); }
// --- after own-functions ---
__attribute__((enable_if(true, ""))) __device__ float fminf(float a, float b) { return a < b ? a : b; }
extern "C" __global__ void k(float* x) { x[0] = fminf(x[0], 1); }
// --- input ---
__device__ float norm(float a) { return a; }
__device__ float rsqrtf(float a) { return 1 / norm(a); }
extern "C" __global__ void k(float* x) { x[0] = rsqrtf(x[0]); }
// --- after own-functions ---
__attribute__((enable_if(true, ""))) __device__ float norm(float a) { return a; }
__attribute__((enable_if(true, ""))) __device__ float rsqrtf(float a) { return 1 / norm(a); }
extern "C" __global__ void k(float* x) { x[0] = rsqrtf(x[0]); }
// --- input ---
static __device__ int __popc(unsigned v) { return v & 1; }
extern "C" __global__ void k(float* x) { x[0] = __popc(3); }
// --- after own-functions ---
__attribute__((enable_if(true, ""))) static __device__ int __popc(unsigned v) { return v & 1; }
extern "C" __global__ void k(float* x) { x[0] = __popc(3); }
// --- input ---
__device__ int min(int a, int b) { return a; }
namespace n { __device__ int max(int a, int b) { return b; } }
extern "C" __global__ void k(float* x) { x[0] = min(2, 1) + n::max(3, 4); }
// --- after own-functions ---
__attribute__((enable_if(true, ""))) __device__ int min(int a, int b) { return a; }
namespace n { __device__ int max(int a, int b) { return b; } }
extern "C" __global__ void k(float* x) { x[0] = min(2, 1) + n::max(3, 4); }
// --- input ---
__forceinline__ __device__ int __clz(int v) { return 7; }
template <class T> __device__ T twice(T v) { return v + v; }
extern "C" __global__ void k(float* x) { x[0] = twice(__clz(1)); }
// --- after own-functions ---
__attribute__((enable_if(true, ""))) __forceinline__ __device__ int __clz(int v) { return 7; }
template <class T> __device__ T twice(T v) { return v + v; }
extern "C" __global__ void k(float* x) { x[0] = twice(__clz(1)); }
