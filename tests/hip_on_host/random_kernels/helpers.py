"""Device functions for random kernels, which read, change, loop, recurse, meet and exchange."""

#: Parts of `sums`, a thread's shared results, each changed by one kind of atomic operation only.
ATOMICS = {"atomicAdd": 0, "atomicMax": 8, "atomicMin": 16, "atomicXor": 24, "atomicOr": 32, "atomicAnd": 40}
WIDE_SUMS = 48  # four of 64 bits
SUMS = 56

TEXT = """
__constant__ unsigned fixed[16] = {3u, 1u, 4u, 15u, 92u, 65u, 35u, 89u, 79u, 32u, 38u, 46u, 26u, 43u, 38u, 327u};
struct Pair {
    unsigned a, b;
    __device__ unsigned both() const { return a * 31u + b; }
    __device__ Pair& operator+=(unsigned more) { a += more; b ^= a; return *this; }
};
__device__ unsigned mix(unsigned a, unsigned b) { a ^= b >> 3; return a * 2654435761u + b; }
__device__ void bump(unsigned& a, const unsigned& b) { a += b * 7u; }
__device__ Pair turned_pair(unsigned a, unsigned b) { Pair made = {b, a}; made += a & 3u; return made; }
__device__ unsigned own_index(unsigned a) { return a + threadIdx.x * 3u + blockIdx.x; }
__device__ unsigned table(unsigned i) { unsigned t[4] = {i, i + 1u, 3u, 9u}; t[i & 3u] += 5u; return t[(i >> 2) & 3u]; }
__device__ unsigned digits(unsigned a) { unsigned sum = 0; while (a) { if ((a & 7u) == 5u) break; sum += a & 7u; a >>= 3; } return sum; }
__device__ unsigned steps(unsigned a) { return a < 2u ? a : (a & 1u) ? steps(a - 1u) * 3u + 1u : steps(a / 2u) + 1u; }
__device__ float within(float a) { return fminf(fmaxf(a, -1e6f), 1e6f); }
__device__ unsigned rounded(float a) { return (unsigned)(int)a; }
__device__ void raise(unsigned* at, unsigned value) {
    unsigned seen = *(volatile unsigned*)at;
    while (seen < value) { unsigned before = atomicCAS(at, seen, value); if (before == seen) return; seen = before; }
}
template <class T> __device__ T warp_total(T value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return __shfl_sync(0xffffffffu, value, 0);
}
template <int N> __device__ unsigned turned(unsigned* s, unsigned t, unsigned size, unsigned value) {
    s[t] = value;
    __syncthreads();
    unsigned other = s[(t + N) % size];
    __syncthreads();
    return other;
}
__device__ unsigned block_total(unsigned* s, unsigned t, unsigned size, unsigned value) {
    s[t] = value;
    __syncthreads();
    for (unsigned half = 128; half > 0; half >>= 1) {
        if (t < half && t + half < size) s[t] += s[t + half];
        __syncthreads();
    }
    unsigned total = s[0];
    __syncthreads();
    return total;
}
"""
