extern "C" __global__ void kernel(float* out, int n) {
    int i = threadIdx.x
    if (i < n) out[i] = 1.0f;  // error, or the line before
}
