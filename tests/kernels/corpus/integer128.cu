// Fibonacci numbers beyond 64 bits.
extern "C" __global__ void of_128_bits(unsigned long long* low, unsigned long long* high) {
    unsigned __int128 a = 0, b = 1;
    for (int k = 0; k < 80 + threadIdx.x; ++k) {
        const unsigned __int128 next = a + b;
        a = b;
        b = next;
    }
    low[threadIdx.x] = (unsigned long long)a;
    high[threadIdx.x] = (unsigned long long)(a >> 64);
}
