// The parts of floats and doubles: sign, exponent and significand, taken from their bits, and the neighbours of a
// number.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

template <class T> struct cuda_on_hip_parts;
template <> struct cuda_on_hip_parts<float> {
    using word = unsigned;
    static constexpr int digits = 24, bias = 127;
};
template <> struct cuda_on_hip_parts<double> {
    using word = unsigned long long;
    static constexpr int digits = 53, bias = 1023;
};

template <class T> CUDA_ON_HIP_DEVICE bool cuda_on_hip_is_negative(T value) {
    using word = typename cuda_on_hip_parts<T>::word;
    return (cuda_on_hip_bits<word>(value) >> (8 * sizeof(T) - 1)) != 0;
}
// The exponent as it is written: 0 for zero and denormal numbers, and the largest for infinities and NaNs.
template <class T> CUDA_ON_HIP_DEVICE int cuda_on_hip_written_exponent(T value) {
    using parts = cuda_on_hip_parts<T>;
    return (int)(cuda_on_hip_bits<typename parts::word>(value) >> (parts::digits - 1)) & (2 * parts::bias + 1);
}
template <class T> CUDA_ON_HIP_DEVICE bool cuda_on_hip_is_finite(T value) {
    return cuda_on_hip_written_exponent(value) != 2 * cuda_on_hip_parts<T>::bias + 1;
}
// The next number above or below; next to infinity is the largest number. Not for NaNs or the far side of infinity.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_step(T value, bool up) {
    using word = typename cuda_on_hip_parts<T>::word;
    constexpr word sign = (word)1 << (8 * sizeof(T) - 1);
    const word bits = cuda_on_hip_bits<word>(value);
    if ((bits & ~sign) == 0) return cuda_on_hip_bits<T>(up ? (word)1 : (word)(sign | 1));
    return cuda_on_hip_bits<T>(((bits & sign) == 0) == up ? bits + 1 : bits - 1);
}
// 2 to a power that is the exponent of a normal number.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_power(int exponent) {
    using parts = cuda_on_hip_parts<T>;
    return cuda_on_hip_bits<T>((typename parts::word)(exponent + parts::bias) << (parts::digits - 1));
}
// The significand, between 1 and 2 and with the sign, of a finite number other than zero, and its exponent.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_significand(T value, int& exponent) {
    using parts = cuda_on_hip_parts<T>;
    using word = typename parts::word;
    constexpr word fractions = ((word)1 << (parts::digits - 1)) - 1, sign = (word)1 << (8 * sizeof(T) - 1);
    const word bits = cuda_on_hip_bits<word>(value);
    word fraction = bits & fractions;
    int written = cuda_on_hip_written_exponent(value);
    if (written == 0) {
        const int shift = __builtin_clzll(fraction) - (64 - parts::digits);
        fraction = (fraction << shift) & fractions;
        written = 1 - shift;
    }
    exponent = written - parts::bias;
    return cuda_on_hip_bits<T>((word)((bits & sign) | ((word)parts::bias << (parts::digits - 1)) | fraction));
}
// A number times a power of two, which together make a normal number; zero stays.
template <class T> CUDA_ON_HIP_DEVICE T cuda_on_hip_scaled(T value, int power) {
    if (value == 0) return value;
    int exponent;
    const T significand = cuda_on_hip_significand(value, exponent);
    return significand * cuda_on_hip_power<T>(exponent + power);
}
