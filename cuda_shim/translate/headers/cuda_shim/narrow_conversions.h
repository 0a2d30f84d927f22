// Conversions between numbers and narrow floats, rounded as their names say, and between narrow floats and integers.
//
// HIP's functions of these names partly ignore the direction, and leave results outside the integer's range undefined.
#pragma once
#pragma GCC system_header
#include <cuda_shim/rounding.h>

CUDA_ON_HIP_DEVICE bool cuda_on_hip_is_nan(float value) { return (cuda_on_hip_bits<unsigned>(value) & 0x7fffffffu) > 0x7f800000u; }

// A float truncated to an integer, saturated to the integer's range. A NaN is 0, and in 64 bits the highest bit alone.
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

// A float rounded to odd: if bits are lost, the last one is set, so that a second rounding to a narrow one is correct.
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

// The bits of a narrow float with the value `narrow`, the nearest one to `exact`, moved one step if the direction
// requires it.
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
