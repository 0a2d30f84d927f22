constexpr int RADIUS = 3, BLOCK = 128;
extern "C" __global__ void __launch_bounds__(BLOCK) stencil(const float* in, float* out, int n) {
    __shared__ float s[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, l = threadIdx.x + RADIUS;
    s[l] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        int left = i - RADIUS, right = i + BLOCK;
        s[l - RADIUS] = left >= 0 ? in[left] : 0;
        s[l + BLOCK] = right < n ? in[right] : 0;
    }
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += s[l + k];
    out[i] = sum;
}
