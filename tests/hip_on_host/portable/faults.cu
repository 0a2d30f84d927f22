// Kernels that go wrong. Which line that is in is looked for by tools/try_aarch64.py.
#include <assert.h>
#define PARAMETERS const unsigned *in, unsigned *out, unsigned *sums, unsigned n, unsigned m

__device__ __noinline__ unsigned follow(const unsigned* where) {
    return *(const volatile unsigned*)where;  // bad_pointer stops here
}
__global__ void bad_pointer(PARAMETERS) {
    __syncthreads();
    if (threadIdx.x == n) out[0] = follow((const unsigned*)64) + 1;
}
__global__ void trapping(PARAMETERS) {
    if (threadIdx.x == n) __trap();  // trapping stops here
}
__global__ void asserting(PARAMETERS) {
    assert(threadIdx.x != n);  // asserting stops here
}
__global__ void breaking(PARAMETERS) {
    if (threadIdx.x == n) __builtin_trap();  // breaking stops here
}
