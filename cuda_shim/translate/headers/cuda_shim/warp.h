// Warps of 32 lanes on hardware waves of 32 or 64: CUDA's warp functions in HIP's.
//
// CUDA programs write 32 into their code: in masks, in `threadIdx.x & 31`, in shuffles that start at distance 16. So a
// warp is 32 lanes here on waves of any size. On a wave of 64 (CDNA: gfx90a, gfx942) its lower and upper half are two
// warps, which merely run in step: shuffles stay inside the half, votes see the half's bits, warpSize is 32.
//
// Lanes of one wave run in step, so lanes that are named in a mask must reach the call together, as before Volta.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

static constexpr int cuda_on_hip_warp_size = 32;

CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_lane() { return __lane_id() & 31u; }
// The first lane of this lane's warp in its wave: 0 or 32.
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_warp_base() { return __lane_id() & 32u; }

CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_votes(bool predicate) {
    return (unsigned)(__ballot(predicate) >> cuda_on_hip_warp_base());
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_activemask() { return cuda_on_hip_votes(true); }
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_ballot_sync(unsigned mask, int predicate) { return cuda_on_hip_votes(predicate) & mask; }
CUDA_ON_HIP_DEVICE int cuda_on_hip_any_sync(unsigned mask, int predicate) { return (cuda_on_hip_votes(predicate) & mask) != 0; }
// Lanes that have exited, or never existed, cast no vote: so the test is that no lane votes against.
CUDA_ON_HIP_DEVICE int cuda_on_hip_all_sync(unsigned mask, int predicate) { return (cuda_on_hip_votes(!predicate) & mask) == 0; }
CUDA_ON_HIP_DEVICE int cuda_on_hip_uni_sync(unsigned mask, int predicate) {
    const unsigned votes = cuda_on_hip_votes(predicate) & mask;
    return votes == 0 || (cuda_on_hip_votes(!predicate) & mask) == 0;
}

CUDA_ON_HIP_DEVICE void cuda_on_hip_syncwarp(unsigned = 0xffffffffu) {
#if defined(__AMDGCN__)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
    (void)__ballot(1);
#endif
}

// The value that lane `source` of this warp holds; any type whose size is 1, 2 or a multiple of 4 bytes.
//
// Values come by reference and go straight into the built-in function: programs shuffle variables that only one lane
// has set, as NVIDIA's guide does, and an undefined argument of a function would let the compiler drop the others' way.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_from_lane(const T& value, unsigned source) {
    static_assert(sizeof(T) < 3 || sizeof(T) % 4 == 0, "a shuffled type has 1, 2 or a multiple of 4 bytes");
    constexpr int words = (sizeof(T) + 3) / 4;
    const int lane = (int)(source + cuda_on_hip_warp_base());
    int parts[words] = {};
    __builtin_memcpy(parts, &value, sizeof(T));
#pragma unroll
    for (int word = 0; word < words; ++word) {
#if defined(__AMDGCN__)
        parts[word] = __builtin_amdgcn_ds_bpermute(lane << 2, parts[word]);
#else
        parts[word] = __shfl(parts[word], lane);
#endif
    }
    T result = value;
    __builtin_memcpy(&result, parts, sizeof(T));
    return result;
}
// The lane that each kind of shuffle reads; outside the segment of `width` lanes that is one's own.
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_indexed(int source, int width) {
    return (cuda_on_hip_lane() & ~(width - 1)) | (source & (width - 1));
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_above(unsigned delta, int width) {
    const int lane = (int)cuda_on_hip_lane(), source = lane - (int)delta;
    return source < (lane & ~(width - 1)) ? lane : source;
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_below(unsigned delta, int width) {
    const int lane = (int)cuda_on_hip_lane(), source = lane + (int)delta;
    return source >= (lane & ~(width - 1)) + width ? lane : source;
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_across(int lane_mask, int width) {
    const int lane = (int)cuda_on_hip_lane(), source = lane ^ lane_mask;
    return source >= (lane & ~(width - 1)) + width ? lane : source;
}
// Each shuffle with a mask, and as it was before CUDA 9: HIP's own of that name have the wave's width.
#define CUDA_ON_HIP_SHUFFLE(name, argument, lane_of)                                                              \
    template <class T>                                                                                            \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_##name##_sync(unsigned, const T& value, argument by, int width = 32) {       \
        return cuda_on_hip_from_lane(value, lane_of(by, width));                                                  \
    }                                                                                                             \
    template <class T>                                                                                            \
    CUDA_ON_HIP_DEVICE T cuda_on_hip_##name##_sync(unsigned, const volatile T& value, argument by, int width = 32) { \
        const T copy = value;                                                                                     \
        return cuda_on_hip_from_lane(copy, lane_of(by, width));                                                   \
    }                                                                                                             \
    template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_##name(const T& value, argument by, int width = 32) {     \
        return cuda_on_hip_from_lane(value, lane_of(by, width));                                                  \
    }                                                                                                             \
    template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_##name(const volatile T& value, argument by, int width = 32) { \
        const T copy = value;                                                                                     \
        return cuda_on_hip_from_lane(copy, lane_of(by, width));                                                   \
    }
CUDA_ON_HIP_SHUFFLE(shfl, int, cuda_on_hip_indexed)
CUDA_ON_HIP_SHUFFLE(shfl_up, unsigned, cuda_on_hip_above)
CUDA_ON_HIP_SHUFFLE(shfl_down, unsigned, cuda_on_hip_below)
CUDA_ON_HIP_SHUFFLE(shfl_xor, int, cuda_on_hip_across)
#undef CUDA_ON_HIP_SHUFFLE

CUDA_ON_HIP_DEVICE int cuda_on_hip_any(int predicate) { return cuda_on_hip_any_sync(~0u, predicate); }
CUDA_ON_HIP_DEVICE int cuda_on_hip_all(int predicate) { return cuda_on_hip_all_sync(~0u, predicate); }

// Lanes of `mask` whose value equals this lane's, found one value at a time.
template <class T> CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_match_any_sync(unsigned mask, T value) {
    unsigned left = cuda_on_hip_votes(true) & mask, mine = 0;
    while (left) {
        const T first = cuda_on_hip_from_lane(value, __ffs((int)left) - 1);
        const bool same = first == value;
        const unsigned votes = cuda_on_hip_votes(same) & mask;
        if (same) mine = votes;
        left &= ~votes;
    }
    return mine;
}
template <class T> CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_match_all_sync(unsigned mask, T value, int* all_match) {
    const unsigned active = cuda_on_hip_votes(true) & mask;
    const T first = cuda_on_hip_from_lane(value, __ffs((int)active) - 1);
    const bool all = (cuda_on_hip_votes(!(first == value)) & mask) == 0;
    *all_match = all;
    return all ? active : 0;
}

template <class T, class Combine> CUDA_ON_HIP_DEVICE T cuda_on_hip_reduce_lanes(unsigned mask, T value, Combine combine) {
    unsigned left = cuda_on_hip_votes(true) & mask;
    T result = cuda_on_hip_from_lane(value, __ffs((int)left) - 1);
    for (left &= left - 1; left; left &= left - 1)
        result = combine(result, cuda_on_hip_from_lane(value, __ffs((int)left) - 1));
    return result;
}
#define CUDA_ON_HIP_REDUCE(name, expression)                                                       \
    template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_reduce_##name##_sync(unsigned mask, T value) { \
        return cuda_on_hip_reduce_lanes(mask, value, [](T a, T b) -> T { return expression; });      \
    }
CUDA_ON_HIP_REDUCE(add, a + b)
CUDA_ON_HIP_REDUCE(min, b < a ? b : a)
CUDA_ON_HIP_REDUCE(max, a < b ? b : a)
CUDA_ON_HIP_REDUCE(and, a& b)
CUDA_ON_HIP_REDUCE(or, a | b)
CUDA_ON_HIP_REDUCE(xor, a ^ b)
#undef CUDA_ON_HIP_REDUCE
