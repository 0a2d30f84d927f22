// Clocks and waiting.

extern "C" __global__ void clocks(long long* ticks, unsigned* low, int* ordered) {
    const long long start = clock64();
    const clock_t narrow = clock();
    long long seen = start;
    for (int i = 0; i < 1000; ++i) seen = max(seen, (long long)clock64());
    ticks[threadIdx.x] = seen - start;
    low[threadIdx.x] = (unsigned)narrow;
    ordered[threadIdx.x] = seen >= start;
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void sleeping(int* out) {
    __nanosleep(100);
    unsigned nanoseconds = 8;
    while (nanoseconds < 64) {
        __nanosleep(nanoseconds);
        nanoseconds *= 2;
    }
    out[threadIdx.x] = (int)nanoseconds;
}
#endif
