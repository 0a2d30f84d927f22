// --- input ---
extern "C" __device__ int printf(const char*, ...) { return 5; }
extern "C" __global__ void k(float* x) { x[0] = printf("%d", 3); }
// --- after printf ---
extern "C" __device__ int cuda_shim_unused_printf(const char*, ...) { return 5; }
extern "C" __global__ void k(float* x) { x[0] = printf("%d", 3); }
// --- input ---
extern "C" __device__ int printf(const char*, ...);
extern "C" __global__ void k(float* x) { printf("%d", 3); }
// --- after printf ---
extern "C" __device__ int printf(const char*, ...);
extern "C" __global__ void k(float* x) { printf("%d", 3); }
// --- input ---
extern "C" __global__ void k(float* x) { printf("extern %f\n", x[0]); }
// --- after printf ---
extern "C" __global__ void k(float* x) { printf("extern %f\n", x[0]); }
// --- input ---
namespace a { __device__ int printf(int v) { return v; } }
extern "C" __global__ void k(float* x) { x[0] = a::printf(3); }
// --- after printf ---
namespace a { __device__ int printf(int v) { return v; } }
extern "C" __global__ void k(float* x) { x[0] = a::printf(3); }
// --- input ---
extern "C" { __device__ int printf(const char* text, ...) { return *text; } }
extern "C" __global__ void k(float* x) { x[0] = printf("a"); }
// --- after printf ---
extern "C" { __device__ int cuda_shim_unused_printf(const char* text, ...) { return *text; } }
extern "C" __global__ void k(float* x) { x[0] = printf("a"); }
