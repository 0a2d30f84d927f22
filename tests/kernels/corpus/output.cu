// printf and assert, which need no header in NVRTC.

extern "C" __global__ void printing(const float* values, int* written) {
    const int i = threadIdx.x;
    if (i < 2) {
        written[i] = printf("thread %d of %s: %f %5.2e %u %x %c %lld %%\n", i, "the block", values[i], values[i], 7u, 255, 'c', 1ll << 40) >= 0;
    } else {
        written[i] = 1;
    }
}

extern "C" __global__ void asserting(const int* values, int* out) {
    assert(values[threadIdx.x] > 0);
    assert(values[threadIdx.x] < 1000 && "too large");
    out[threadIdx.x] = values[threadIdx.x];
}
