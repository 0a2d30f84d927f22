// Written by tools/fit_float_functions.py: the numbers that the float functions are made of.
#pragma once

// (2^t - 1) / t, |t| <= 1/2
static constexpr double cuda_shim_exp2m1_coefficients[] = {
    0x1.62e42fefa39efp-1,
    0x1.ebfbe045f4d3cp-3,
    0x1.c6b08d883dca1p-5,
    0x1.3b2a1b7152befp-7,
    0x1.5d879ead06a82p-10,
    0x1.443fffc90db59p-13,
    0x1.00a581594758ep-16,
};

// log((1 + s) / (1 - s)) / s of s^2, |s| <= 0.1716
static constexpr double cuda_shim_log_coefficients[] = {
    0x1.fffffffffff12p+0,
    0x1.55555556716dap-1,
    0x1.9999962baa6d7p-2,
    0x1.24943845d454ep-2,
    0x1.c620e12262e86p-3,
    0x1.9193ad599876cp-3,
};

// sin(q pi/2) / q of q^2, |q| <= 1/2
static constexpr double cuda_shim_sin_coefficients[] = {
    0x1.921fb5443b587p+0,
    -0x1.4abbce56ae6e6p-1,
    0x1.466bbac8a54e8p-4,
    -0x1.32ca9d79fc665p-8,
    0x1.4bc85ccb213adp-13,
};

// (cos(q pi/2) - 1) / q^2 of q^2, |q| <= 1/2
static constexpr double cuda_shim_cos_coefficients[] = {
    -0x1.3bd3cc9be3632p+0,
    0x1.03c1f07ea5ef5p-2,
    -0x1.55d3c1c3c3160p-6,
    0x1.e1ec718e563c5p-11,
    -0x1.a1e852987c3d8p-16,
};

// atan(x) / x of x^2, |x| <= 1
static constexpr double cuda_shim_atan_coefficients[] = {
    0x1.ffffffff64898p-1,
    -0x1.555553f671b9ap-2,
    0x1.999914dc909cfp-3,
    -0x1.2488519fa5a60p-3,
    0x1.c6533dfc9a77bp-4,
    -0x1.6f95036b2d2f5p-4,
    0x1.2811fdeff7003p-4,
    -0x1.ba035c4e8d652p-5,
    0x1.151ab904c9279p-5,
    -0x1.0354cc23b8650p-6,
    0x1.3625e8d6eefb9p-8,
    -0x1.5bcf6e5741041p-11,
};

// asin(x) / x of x^2, |x| <= 1/2
static constexpr double cuda_shim_asin_coefficients[] = {
    0x1.ffffffffe1fddp-1,
    0x1.55555644ffd27p-3,
    0x1.3332974333413p-4,
    0x1.6ddd3297735ebp-5,
    0x1.ed3310aa58a51p-6,
    0x1.93e1363c82c76p-6,
    0x1.e5084c0c9e239p-8,
    0x1.1ca8ba846c6cbp-5,
};

// erf(x) / x of x^2, |x| <= 1
static constexpr double cuda_shim_erf_coefficients[] = {
    0x1.20dd7504045d6p+0,
    -0x1.81274665754c3p-2,
    0x1.ce2f08fec14fdp-4,
    -0x1.b829c897922e5p-6,
    0x1.562a60ddba6e6p-8,
    -0x1.bccf664d7f763p-11,
    0x1.d887505de3ba6p-14,
    -0x1.445f47d33d87bp-17,
};

// exp(x^2) erfc(x) (1 + 2 x) of (x - 2.5) / (x + 2.5), 1 <= x <= 10.1
static constexpr double cuda_shim_erfc_coefficients[] = {
    0x1.43cc6f6ccfda4p+0,
    -0x1.f52c5d674c885p-4,
    -0x1.959ac4c3d1dddp-4,
    0x1.42d3770c14f3fp-3,
    -0x1.a5c046fbea08ep-4,
    0x1.0c60d58f773bdp-5,
    0x1.e50c13e1f0e86p-11,
    -0x1.1efaba0298514p-8,
    0x1.165908d171272p-11,
    0x1.377d6368784bfp-11,
    -0x1.5f7ea3fb0bf22p-13,
};

// 2^e 2/pi without multiples of 4, high and low part, for e = 0, 26, 52, 78
static constexpr double cuda_shim_turns[4][2] = {
    {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55},
    {0x1.b9391054a7f0ap+0, -0x1.505c1596447e5p-55},
    {0x1.529fc2757d1f5p+0, 0x1.a6ee06db14acdp-55},
    {0x1.d5f47d4d37703p+0, 0x1.b6295993c4390p-54},
};
