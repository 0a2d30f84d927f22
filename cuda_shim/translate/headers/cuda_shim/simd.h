// CUDA's arithmetic on two 16-bit or four 8-bit integers in a word, lane by lane.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

// Applies `combine` to each lane, read as Lane; the result's low bits are the new lane.
template <class Lane, class Combine> CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_lanes(unsigned a, unsigned b, Combine combine) {
    constexpr unsigned bits = 8 * sizeof(Lane), mask = (1u << bits) - 1;
    unsigned result = 0;
#pragma unroll
    for (unsigned shift = 0; shift < 32; shift += bits)
        result |= ((unsigned)combine((int)(Lane)(a >> shift), (int)(Lane)(b >> shift)) & mask) << shift;
    return result;
}
template <class Lane> CUDA_ON_HIP_DEVICE int cuda_on_hip_saturated(int value) {
    constexpr int low = (Lane)-1 < 0 ? -(1 << (8 * sizeof(Lane) - 1)) : 0;
    constexpr int high = (1 << (8 * sizeof(Lane) - ((Lane)-1 < 0))) - 1;
    return value < low ? low : value > high ? high : value;
}

#define CUDA_ON_HIP_BINARY(name, lane, expression)                                                    \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_##name(unsigned x, unsigned y) {                            \
        return cuda_on_hip_lanes<lane>(x, y, [](int a, int b) -> int { return expression; });         \
    }
#define CUDA_ON_HIP_UNARY(name, lane, expression)                                                     \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_##name(unsigned x) {                                        \
        return cuda_on_hip_lanes<lane>(x, x, [](int a, int) -> int { return expression; });           \
    }
#define CUDA_ON_HIP_SUM(name, lane)                                                                   \
    CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_##name(unsigned x, unsigned y) {                            \
        unsigned sum = 0;                                                                           \
        _Pragma("unroll") for (unsigned at = 0; at < 32; at += 8 * sizeof(lane)) {                  \
            const int difference = (int)(lane)(x >> at) - (int)(lane)(y >> at);                     \
            sum += (unsigned)(difference < 0 ? -difference : difference);                           \
        }                                                                                           \
        return sum;                                                                                 \
    }
#define CUDA_ON_HIP_COMPARE(name, count, lane, operation)                                             \
    CUDA_ON_HIP_BINARY(vcmp##name##count, lane, (a operation b) ? -1 : 0)                             \
    CUDA_ON_HIP_BINARY(vset##name##count, lane, (a operation b) ? 1 : 0)
// All that exists for both widths: `count` lanes, signed and unsigned.
#define CUDA_ON_HIP_WIDTH(count, slane, ulane)                                                        \
    CUDA_ON_HIP_BINARY(vadd##count, ulane, a + b)                                                     \
    CUDA_ON_HIP_BINARY(vaddss##count, slane, cuda_on_hip_saturated<slane>(a + b))                       \
    CUDA_ON_HIP_BINARY(vaddus##count, ulane, cuda_on_hip_saturated<ulane>(a + b))                       \
    CUDA_ON_HIP_BINARY(vsub##count, ulane, a - b)                                                     \
    CUDA_ON_HIP_BINARY(vsubss##count, slane, cuda_on_hip_saturated<slane>(a - b))                       \
    CUDA_ON_HIP_BINARY(vsubus##count, ulane, cuda_on_hip_saturated<ulane>(a - b))                       \
    CUDA_ON_HIP_BINARY(vavgs##count, slane, (a + b + (a + b >= 0)) >> 1)                                \
    CUDA_ON_HIP_BINARY(vavgu##count, ulane, (a + b + 1) >> 1)                                         \
    CUDA_ON_HIP_BINARY(vhaddu##count, ulane, (a + b) >> 1)                                            \
    CUDA_ON_HIP_BINARY(vabsdiffs##count, slane, a < b ? b - a : a - b)                                \
    CUDA_ON_HIP_BINARY(vabsdiffu##count, ulane, a < b ? b - a : a - b)                                \
    CUDA_ON_HIP_BINARY(vmaxs##count, slane, a < b ? b : a)                                            \
    CUDA_ON_HIP_BINARY(vmaxu##count, ulane, a < b ? b : a)                                            \
    CUDA_ON_HIP_BINARY(vmins##count, slane, b < a ? b : a)                                            \
    CUDA_ON_HIP_BINARY(vminu##count, ulane, b < a ? b : a)                                            \
    CUDA_ON_HIP_UNARY(vabs##count, slane, a < 0 ? -a : a)                                             \
    CUDA_ON_HIP_UNARY(vabsss##count, slane, cuda_on_hip_saturated<slane>(a < 0 ? -a : a))               \
    CUDA_ON_HIP_UNARY(vneg##count, slane, -a)                                                         \
    CUDA_ON_HIP_UNARY(vnegss##count, slane, cuda_on_hip_saturated<slane>(-a))                           \
    CUDA_ON_HIP_SUM(vsads##count, slane)                                                              \
    CUDA_ON_HIP_SUM(vsadu##count, ulane)                                                              \
    CUDA_ON_HIP_COMPARE(eq, count, ulane, ==)                                                         \
    CUDA_ON_HIP_COMPARE(ne, count, ulane, !=)                                                         \
    CUDA_ON_HIP_COMPARE(ges, count, slane, >=)                                                        \
    CUDA_ON_HIP_COMPARE(geu, count, ulane, >=)                                                        \
    CUDA_ON_HIP_COMPARE(gts, count, slane, >)                                                         \
    CUDA_ON_HIP_COMPARE(gtu, count, ulane, >)                                                         \
    CUDA_ON_HIP_COMPARE(les, count, slane, <=)                                                        \
    CUDA_ON_HIP_COMPARE(leu, count, ulane, <=)                                                        \
    CUDA_ON_HIP_COMPARE(lts, count, slane, <)                                                         \
    CUDA_ON_HIP_COMPARE(ltu, count, ulane, <)
CUDA_ON_HIP_WIDTH(2, short, unsigned short)
CUDA_ON_HIP_WIDTH(4, signed char, unsigned char)
#undef CUDA_ON_HIP_BINARY
#undef CUDA_ON_HIP_UNARY
#undef CUDA_ON_HIP_SUM
#undef CUDA_ON_HIP_COMPARE
#undef CUDA_ON_HIP_WIDTH
