// Kernels whose results are exact, whatever machine and whatever form they run in. tools/try_aarch64.py compares.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define PARAMETERS const unsigned *in, unsigned *out, unsigned *sums, unsigned n, unsigned m
#define ALL_LANES 0xffffffffffffffffull
#define BLOCK_THREADS (blockDim.x * blockDim.y * blockDim.z)

__device__ unsigned rank_in_grid() {
    return blockIdx.x * BLOCK_THREADS + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__global__ void plain(PARAMETERS) {
    const unsigned i = rank_in_grid();
    out[i] = in[i] * n + m;
}

__global__ void grid_stride(PARAMETERS) {
    const unsigned all = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < all - 7; i += all / 3) atomicAdd(&out[i], in[i] ^ i);
}

__global__ void tree(PARAMETERS) {
    extern __shared__ unsigned partial[];
    const unsigned i = rank_in_grid();
    partial[threadIdx.x] = in[i];
    for (unsigned width = blockDim.x / 2; width; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) partial[threadIdx.x] += partial[threadIdx.x + width];
    }
    if (threadIdx.x == 0) out[i] = partial[0];
}

__global__ void shuffles(PARAMETERS) {
    const unsigned i = rank_in_grid();
    unsigned value = in[i];
    for (int lane = warpSize / 2; lane; lane /= 2) value += __shfl_xor_sync(ALL_LANES, value, lane);
    const double wide = __shfl_up_sync(ALL_LANES, (double)in[i], 3, 16);
    out[i] = value ^ __shfl_down_sync(ALL_LANES, in[i], 5) ^ (unsigned)(wide / 4096.0);
}

__global__ void votes(PARAMETERS) {
    const unsigned i = rank_in_grid();
    const bool odd = in[i] & 1;
    out[i] = (unsigned)__ballot_sync(ALL_LANES, odd) + __any_sync(ALL_LANES, in[i] % 97 == 0) + 2 * __all_sync(ALL_LANES, in[i] % 97 != 0) +
             __popc(__match_any_sync(ALL_LANES, in[i] % 3));
}

__global__ void atomics(PARAMETERS) {
    const unsigned x = in[rank_in_grid()];
    atomicAdd(&sums[0], x);
    atomicMax(&sums[8], x);
    atomicMin(&sums[16], x);
    atomicXor(&sums[24], x);
    atomicOr(&sums[32], x & 0xff00ff);
    atomicAnd(&sums[40], x | 0xf0f0f0f0);
    atomicAdd((unsigned long long*)&sums[48], (unsigned long long)x << 7);
    unsigned seen = sums[1], assumed;  // a sum whose terms are wrapped by hand
    do {
        assumed = seen;
        seen = atomicCAS(&sums[1], assumed, (assumed + x % 1000) % 65536);
    } while (seen != assumed);
}

// This cannot be split at its barriers: threads reach them by calls of different depth.
__device__ __noinline__ unsigned descend(volatile unsigned* shared, unsigned depth) {
    __syncthreads();
    if (depth == 0) return shared[threadIdx.x ^ 1];
    return descend(shared, depth - 1) * 3 + depth;
}
__global__ void recursive(PARAMETERS) {
    __shared__ unsigned shared[64];
    shared[threadIdx.x] = in[rank_in_grid()];
    // Values that live in callee-saved registers while the others run, floating-point ones too.
    double kept = in[rank_in_grid()] * 0.5;
    const unsigned found = descend(shared, n);
    out[rank_in_grid()] = found + (unsigned)(kept * 2.0);
}

// A plain char has a sign on GPUs.
__global__ void characters(PARAMETERS) {
    const char c = (char)in[rank_in_grid()];
    out[rank_in_grid()] = (c < 0) + (unsigned)(int)c * 2 + (unsigned)(c >> 1);
}

__global__ void narrow(PARAMETERS) {
    const unsigned x = in[rank_in_grid()];
    const __half a = __ushort_as_half((unsigned short)(x & 0x77ff)), b = __ushort_as_half((unsigned short)(x >> 16 & 0x77ff));
    const __nv_bfloat16 c = __float2bfloat16((float)(int)x), d = __float2bfloat16(0.37f);
    const unsigned halves = __half_as_ushort(__hfma(a, b, a)) | (unsigned)__half_as_ushort(__hadd(a, b)) << 16;
    const unsigned brains = __bfloat16_as_ushort(__hmul(c, d)) | (unsigned)__half_as_ushort(__float2half_rz((float)x)) << 16;
    out[rank_in_grid()] = halves ^ brains * 7 ^ (unsigned)__half2int_rn(b);
}

__global__ void rounded(PARAMETERS) {
    const unsigned x = in[rank_in_grid()];
    const float a = (float)(int)x * 1e-3f, b = (float)(x % 1000 + 1) * 0.3f;
    unsigned hash = __float_as_uint(__fadd_rd(a, b));
    hash = hash * 31 + __float_as_uint(__fmul_ru(a, b));
    hash = hash * 31 + __float_as_uint(__fdiv_rz(a, b));
    hash = hash * 31 + __float_as_uint(__fsqrt_ru(b));
    hash = hash * 31 + __float_as_uint(__fmaf_rn(a, b, 1.5f)) + __float_as_uint(a * b + 1.5f);
    hash = hash * 31 + (unsigned)__double2loint(__dadd_ru((double)a, 1e-17));
    hash = hash * 31 + (unsigned)(__float2int_rn(a * 1e9f) ^ __float2uint_rz(-b) ^ __double2int_ru((double)a));
    out[rank_in_grid()] = hash;
}

__global__ void integers(PARAMETERS) {
    const unsigned x = in[rank_in_grid()], y = x * 2654435761u;
    unsigned hash = __popc(x) + __clz(x) * 3 + __ffs(x) * 5 + __brev(x) + __byte_perm(x, y, 0x3175);
    hash = hash * 31 + __umulhi(x, y) + __mulhi((int)x, (int)y) + __funnelshift_l(x, y, 13);
    hash = hash * 31 + __dp4a((int)x, (int)y, 7) + __vadd4(x, y) + __usad(x, y, 3) + __hadd((int)x, (int)y);
    out[rank_in_grid()] = hash + (unsigned)((int)x / (int)(n + 1)) + (unsigned)((long long)x * (int)y % 1000003);
}

__global__ void whole_grid(PARAMETERS) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const unsigned i = rank_in_grid();
    out[i] = in[i];
    for (unsigned round = 0; round < m; round++) {
        grid.sync();
        const unsigned next = out[(i + 17) % (unsigned)grid.size()];
        grid.sync();
        out[i] = out[i] * 3 + next;
    }
}

template <class T, int Times> __global__ void repeated(PARAMETERS) {
    T value = (T)in[rank_in_grid()];
#pragma unroll
    for (int i = 0; i < Times; i++) value = value * (T)3 + (T)1;
    out[rank_in_grid()] = (unsigned)(unsigned long long)value;
}
