// What the lanes of a warp tell each other.

extern "C" __global__ void shuffles(const int* in, int* indexed, int* up, int* down, int* crossed, int* broadcast8) {
    const int t = threadIdx.x;
    indexed[t] = __shfl_sync(0xffffffff, in[t], t + 5);
    up[t] = __shfl_up_sync(0xffffffff, in[t], 3);
    down[t] = __shfl_down_sync(0xffffffff, in[t], 7, 16);
    crossed[t] = __shfl_xor_sync(0xffffffff, in[t], 9);
    broadcast8[t] = __shfl_sync(0xffffffff, in[t], 2, 8);
}

extern "C" __global__ void shuffles_of_types(const double* d, const unsigned long long* l, const float* f, double* od, unsigned long long* ol,
                                             float* of) {
    const int t = threadIdx.x;
    od[t] = __shfl_xor_sync(0xffffffff, d[t], 16);
    ol[t] = __shfl_down_sync(0xffffffff, l[t], 1);
    of[t] = __shfl_sync(0xffffffff, f[t], 31 - t % 32);
}

// Keeps what is positive, in order, without atomics between the lanes.
extern "C" __global__ void compaction(const float* in, float* out, int* counts) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float value = in[threadIdx.x];
    const unsigned votes = __ballot_sync(0xffffffffu, value > 0);
    const int before = __popc(votes & ((1u << lane) - 1));
    if (value > 0) out[warp * 32 + before] = value;
    if (lane == 0) counts[warp] = __popc(votes);
}

extern "C" __global__ void votes(const int* in, int* all, int* any, unsigned* odd, unsigned* first) {
    const int t = threadIdx.x;
    all[t] = __all_sync(0xffffffff, in[t] > 10);
    any[t] = __any_sync(0xffffffff, in[t] > 90);
    odd[t] = __ballot_sync(0xffffffff, in[t] & 1);
    first[t] = __ffs(__ballot_sync(0xffffffff, in[t] > 50));
}

extern "C" __global__ void matching(const int* in, unsigned* any, unsigned* all, int* flags) {
    const int t = threadIdx.x;
    any[t] = __match_any_sync(0xffffffff, in[t]);
    int same;
    all[t] = __match_all_sync(0xffffffff, in[t] / 100, &same);
    flags[t] = same;
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void reductions(const int* in, int* sum, int* low, int* high, unsigned* bits) {
    const int t = threadIdx.x;
    sum[t] = __reduce_add_sync(0xffffffff, in[t]);
    low[t] = __reduce_min_sync(0xffffffff, in[t]);
    high[t] = __reduce_max_sync(0xffffffff, in[t]);
    bits[t] = __reduce_and_sync(0xffffffff, (unsigned)in[t]) ^ __reduce_or_sync(0xffffffff, (unsigned)in[t]) ^
              __reduce_xor_sync(0xffffffff, (unsigned)in[t]);
}
#endif

// Half of the lanes go another way; each way names its own lanes.
extern "C" __global__ void masked(const int* in, int* out) {
    const int t = threadIdx.x, lane = t & 31;
    int value = in[t];
    if (lane < 16) {
        for (int d = 8; d; d /= 2) value += __shfl_down_sync(0x0000ffffu, value, d, 16);
    } else {
        value = -value;
        for (int d = 8; d; d /= 2) value = max(value, __shfl_xor_sync(0xffff0000u, value, d, 16));
    }
    __syncwarp();
    out[t] = value;
}

extern "C" __global__ void through_shared(const float* in, float* out) {
    __shared__ volatile float s[128];
    const int t = threadIdx.x, lane = t % 32;
    s[t] = in[t];
    __syncwarp();
    const float next = s[t - lane + (lane + 1) % 32];
    __syncwarp();
    s[t] = next * 2;
    __syncwarp();
    out[t] = s[t - lane + (lane + 31) % 32] + next;
}
