#include <curand_mtgp32_kernel.h>  // error
extern "C" __global__ void kernel(float* out) {
    curandState state;
    curand_init(1, 2, 3, &state);
    out[0] = curand_uniform(&state);
}
