// --- input ---
__device__ int one asm("two") = 1;
extern "C" __global__ void k(float* x) { x[0] = one; }
// --- after linker-directions ---
__device__ int one            = 1;
extern "C" __global__ void k(float* x) { x[0] = one; }
// --- input ---
__device__ __attribute__((constructor)) void start() {}
extern "C" __global__ void k(float* x) { x[0] = 1; }
// --- after linker-directions ---
__device__ __attribute__((           )) void start() {}
extern "C" __global__ void k(float* x) { x[0] = 1; }
// --- input ---
__device__ __attribute__((section(".init_array"), aligned(16))) int z = 1;
extern "C" __global__ void k(float* x) { x[0] = z; }
// --- after linker-directions ---
__device__ __attribute__((                      , aligned(16))) int z = 1;
extern "C" __global__ void k(float* x) { x[0] = z; }
// --- input ---
[[gnu::section("foo"), gnu::used]] __device__ int w = 3;
extern "C" __global__ void k(float* x) { x[0] = w; }
// --- after linker-directions ---
[[                   , gnu::used]] __device__ int w = 3;
extern "C" __global__ void k(float* x) { x[0] = w; }
// --- input ---
#pragma weak other = k
#pragma redefine_extname k start
#pragma unroll
extern "C" __global__ void k(float* x) { x[0] = 1; }
// --- after linker-directions ---
                      
                                
#pragma unroll
extern "C" __global__ void k(float* x) { x[0] = 1; }
// --- input ---
asm(".globl here");
extern "C" __global__ void k(float* x) { asm volatile("" ::: "memory"); x[0] = 1; }
// --- after linker-directions ---
                  ;
extern "C" __global__ void k(float* x) { asm volatile("" ::: "memory"); x[0] = 1; }
