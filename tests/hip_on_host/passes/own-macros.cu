// --- input ---
__device__ int clock() { return 3; }
extern "C" __global__ void k(float* x) { x[0] = clock(); }
// --- after own-macros ---
#undef clock
#line 1 "k.cu"
__device__ int clock() { return 3; }
extern "C" __global__ void k(float* x) { x[0] = clock(); }
// --- input ---
extern "C" __global__ void sincos(float* x) { x[0] = 1; }
// --- after own-macros ---
#undef sincos
#line 1 "k.cu"
extern "C" __global__ void sincos(float* x) { x[0] = 1; }
// --- input ---
__device__ float __expf(float v) { return v; }
__device__ float exp10f(float v) { return v; }
extern "C" __global__ void k(float* x) { x[0] = __expf(2) + exp10f(3); }
// --- after own-macros ---
#undef __expf
#undef exp10f
#line 1 "k.cu"
__device__ float __expf(float v) { return v; }
__device__ float exp10f(float v) { return v; }
extern "C" __global__ void k(float* x) { x[0] = __expf(2) + exp10f(3); }
// --- input ---
extern "C" __global__ void k(float* x) { x[0] = __expf(2) + clock(); }
// --- after own-macros ---
extern "C" __global__ void k(float* x) { x[0] = __expf(2) + clock(); }
// --- input ---
struct S { __device__ int clock() { return 4; } };
namespace n { __device__ int exp10(int v) { return v; } }
extern "C" __global__ void k(float* x) { x[0] = S().clock() + n::exp10(2); }
// --- after own-macros ---
struct S { __device__ int clock() { return 4; } };
namespace n { __device__ int exp10(int v) { return v; } }
extern "C" __global__ void k(float* x) { x[0] = S().clock() + n::exp10(2); }
