extern "C" __global__ void kernel(float* out) {
    int i = threadIdx.x;
    out[i] = scale * 2.0f;  // error
}
