// Conversions between numbers and narrow floats in the directions of their names, and between them and whole numbers.
//
// HIP's functions of these names ignore the direction in part, and leave open what a number outside the integer's range
// becomes.
#pragma once
#pragma GCC system_header
#include <cuda_shim/rounding.h>

CUDA_ON_HIP_DEVICE bool cuda_on_hip_is_nan(float value) { return (cuda_on_hip_bits<unsigned>(value) & 0x7fffffffu) > 0x7f800000u; }

// A float cut off towards zero to an integer, or the integer nearest to it. A NaN is 0, and in 64 bits the highest bit alone.
template <class Integer> CUDA_ON_HIP_DEVICE Integer cuda_on_hip_whole(float value) {
    constexpr bool has_sign = (Integer)-1 < (Integer)0;
    constexpr int bits = 8 * (int)sizeof(Integer) - (has_sign ? 1 : 0);
    constexpr Integer largest = (Integer)(~0ull >> (64 - bits));
    constexpr float limit = 2.0f * (float)(1ull << (bits - 1));
    if (cuda_on_hip_is_nan(value)) return sizeof(Integer) == 8 ? (Integer)(1ull << 63) : (Integer)0;
    if (value >= limit) return largest;
    if (value <= (has_sign ? -limit : 0.0f)) return has_sign ? (Integer)(-largest - 1) : (Integer)0;
    return (Integer)value;
}

// A float between which and the narrow floats no rounding is lost: where bits are lost, the last one that stays is set.
CUDA_ON_HIP_DEVICE float cuda_on_hip_odd(float towards_zero, bool is_exact) {
    return is_exact ? towards_zero : cuda_on_hip_bits<float>(cuda_on_hip_bits<unsigned>(towards_zero) | 1u);
}
CUDA_ON_HIP_DEVICE float cuda_on_hip_odd(float value) { return value; }
CUDA_ON_HIP_DEVICE float cuda_on_hip_odd(double value) {
    const float towards_zero = cuda_on_hip_double2float_rz(value);
    return cuda_on_hip_odd(towards_zero, (double)towards_zero == value || value != value);
}
template <class Integer> CUDA_ON_HIP_DEVICE float cuda_on_hip_odd(Integer value) {
    const float towards_zero = cuda_on_hip_integer_directed<float>(value, cuda_on_hip_rz);
    return cuda_on_hip_odd(towards_zero, (Integer)towards_zero == value);
}

// The bits of a narrow float, which is the nearest one to `exact` and stands for the number `narrow`, moved one step where
// the direction asks for it.
CUDA_ON_HIP_DEVICE unsigned short cuda_on_hip_narrow_directed(unsigned short bits, float narrow, float exact,
                                                              cuda_on_hip_direction direction) {
    if (cuda_on_hip_is_nan(exact)) return 0x7fff;
    const bool negative = (bits & 0x8000u) != 0;
    if (narrow == exact) return bits;
    const bool outside = (narrow > exact) != negative;
    if (direction == cuda_on_hip_rz) return (unsigned short)(bits - (outside ? 1 : 0));
    const bool outwards = negative == (direction == cuda_on_hip_rd);
    return (unsigned short)(bits + (outwards ? (outside ? 0 : 1) : outside ? -1 : 0));
}
