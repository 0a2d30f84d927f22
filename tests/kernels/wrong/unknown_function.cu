extern "C" __global__ void kernel(float* out) {
    __syncthreads();
    out[threadIdx.x] = quadratic_root(out[0]);  // error
}
