// --- input ---
inline __global__ void k(float* x) { x[0] = 1; }
// --- after kernel-declarations ---
 __global__ void k(float* x) { x[0] = 1; }
// --- input ---
__global__ inline void k(float* x);
__global__ inline void k(float* x) { x[0] = 1; }
// --- after kernel-declarations ---
__global__  void k(float* x);
__global__  void k(float* x) { x[0] = 1; }
// --- input ---
static __global__ void k(float* x) { x[0] = 1; }
// --- after kernel-declarations ---
static __global__ void k(float* x) { x[0] = 1; }
// --- input ---
template <class T> inline __global__ void k(T* x) { x[0] = 1; }
// --- after kernel-declarations ---
template <class T>  __global__ void k(T* x) { x[0] = 1; }
// --- input ---
extern "C" __global__ void __launch_bounds__(128) k(float* x) { x[0] = 1; }
// --- after kernel-declarations ---
extern "C" __global__ void __launch_bounds__(128) k(float* x) { x[0] = 1; }
// --- input ---
__global__ void k(float x);
__global__ void k(float x) {}
// --- after kernel-declarations ---
__global__ void k(float x);
__global__ void k(float x) {}
