// --- input ---
extern "C" __global__ void k(float* x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; x[0] = s[1]; }
// --- after dynamic-shared ---
extern "C" __global__ void k(float* x) { float * const s = (float *)cuda_shim_dynamic_shared(); s[threadIdx.x] = x[threadIdx.x]; x[0] = s[1]; }
// --- input ---
extern __shared__ int s[];
__device__ int f(int i) { return s[i]; }
extern "C" __global__ void k(float* x) { s[threadIdx.x] = 1; x[0] = f(1); }
// --- after dynamic-shared ---
;
__device__ int f(int i) { int * const s = (int *)cuda_shim_dynamic_shared(); { return s[i]; }}
extern "C" __global__ void k(float* x) { int * const s = (int *)cuda_shim_dynamic_shared(); { s[threadIdx.x] = 1; x[0] = f(1); }}
// --- input ---
extern __shared__ int s[];
__device__ int f(int* s) { return s[0]; }
extern "C" __global__ void k(float* x) { x[0] = f(s); }
// --- after dynamic-shared ---
;
__device__ int f(int* s) { return s[0]; }
extern "C" __global__ void k(float* x) { int * const s = (int *)cuda_shim_dynamic_shared(); { x[0] = f(s); }}
// --- input ---
extern "C" __global__ void k(float* x) { extern __shared__ float s[8]; s[threadIdx.x] = 1; x[0] = s[1]; }
// --- after dynamic-shared ---
extern "C" __global__ void k(float* x) {  __shared__ float s[8]; s[threadIdx.x] = 1; x[0] = s[1]; }
// --- input ---
struct Pair { int a, b; };
extern
__shared__
Pair pairs[];
extern "C" __global__ void k(float* x) {
    int pairs = 1;
    x[0] = pairs;
}
// --- after dynamic-shared ---
struct Pair { int a, b; };


;
extern "C" __global__ void k(float* x) { Pair * const pairs = (Pair *)cuda_shim_dynamic_shared(); {
    int pairs = 1;
    x[0] = pairs;
}}
// --- input ---
template <class T> __global__ void t(T* x) { extern __shared__ __align__(16) unsigned char raw[]; T* s = (T*)raw; s[0] = x[0]; x[1] = s[0]; }
// --- after dynamic-shared ---
template <class T> __global__ void t(T* x) { unsigned char * const raw = (unsigned char *)cuda_shim_dynamic_shared(); T* s = (T*)raw; s[0] = x[0]; x[1] = s[0]; }
