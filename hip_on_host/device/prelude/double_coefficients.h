// Written by tools/fit_float_functions.py: the numbers that the double functions are made of.
#pragma once

// (e^t - 1 - t) / t^2, |t| <= log(2) / 2
static constexpr double cuda_shim_double_exp_coefficients[] = {
    0x1.0000000000000p-1,
    0x1.5555555555557p-3,
    0x1.5555555555556p-5,
    0x1.11111111100dcp-7,
    0x1.6c16c16c162d4p-10,
    0x1.a01a01abe7fe1p-13,
    0x1.a01a01a6d889cp-16,
    0x1.71de0231960ebp-19,
    0x1.27e4db646b17ep-22,
    0x1.af4de97ca4194p-26,
    0x1.1f730349868cep-29,
};

// log((1 + s) / (1 - s)) / s - 2, by s^2, of s^2, |s| <= 0.1716
static constexpr double cuda_shim_double_log_coefficients[] = {
    0x1.5555555555555p-1,
    0x1.9999999999a38p-2,
    0x1.2492492476c87p-2,
    0x1.c71c720160b47p-3,
    0x1.745cf901605f7p-3,
    0x1.3b1c360763b8ap-3,
    0x1.0fbe83c2cbcf3p-3,
    0x1.0c04595972ab8p-3,
};

// the same without its first term, by s^2 again
static constexpr double cuda_shim_double_log_further_coefficients[] = {
    0x1.999999999999ap-2,
    0x1.2492492492521p-2,
    0x1.c71c71c6eaa10p-3,
    0x1.745d177a96056p-3,
    0x1.3b1395d2190c1p-3,
    0x1.1118c7e4b0917p-3,
    0x1.df7cc8e5fa539p-4,
    0x1.e02e6fff27908p-4,
};

// (sin(x) - x) / x^3 of x^2, |x| <= pi/4
static constexpr double cuda_shim_double_sin_coefficients[] = {
    -0x1.5555555555555p-3,
    0x1.1111111111110p-7,
    -0x1.a01a01a019937p-13,
    0x1.71de3a54607a5p-19,
    -0x1.ae64541295cdfp-26,
    0x1.61217ee5cca1bp-33,
    -0x1.ab17bdcbd3414p-41,
};

// (cos(x) - 1 + x^2 / 2) / x^4 of x^2, |x| <= pi/4
static constexpr double cuda_shim_double_cos_coefficients[] = {
    0x1.5555555555555p-5,
    -0x1.6c16c16c16c16p-10,
    0x1.a01a01a019d0ap-16,
    -0x1.27e4fb7712ca2p-22,
    0x1.1eed8deb82809p-29,
    -0x1.9394b9eb4d56dp-37,
    0x1.ab78473be59d7p-45,
};

// 2^(32 row) 2/pi without multiples of 4, in four parts
static constexpr double cuda_shim_double_turns[31][4] = {
    {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55, -0x1.6447e493ad4cep-109, 0x1.e21c820ff28b2p-163},
    {-0x1.b1bbead603d8bp+0, 0x1.f47d4d377036ep-54, -0x1.d6a66c3bc6fbep-108, -0x1.ae9c5421443aap-168},
    {0x1.fc2757d1f534ep+0, -0x1.1f924eb53361ep-55, 0x1.c820ff28b1d5fp-111, -0x1.443a9e48db91cp-168},
    {0x1.f534ddc0db629p+0, 0x1.664f10e4107f9p-54, 0x1.163abdebbc562p-108, -0x1.236e4716f6c8bp-162},
    {0x1.b6c52b3278872p-1, 0x1.07f9458eaf7afp-58, -0x1.d4f246dc8e2dfp-115, 0x1.374b801924bbbp-170},
    {0x1.3c439041fe516p+0, 0x1.d5ef5de2b0db9p-55, 0x1.1b8e909374b80p-110, 0x1.924bba8274648p-166},
    {0x1.fe5163abdebbcp+0, 0x1.586dc91b8e909p-54, 0x1.ba5c00c925dd4p-109, 0x1.3a32439fc3bd6p-165},
    {-0x1.0a21d4f246dc9p-3, 0x1.d2126e9700325p-59, -0x1.a22bec5cdbc60p-113, -0x1.e214e34ed658cp-168},
    {0x1.b7246e3a424ddp+0, 0x1.700324977504fp-55, -0x1.cdbc603c429c7p-109, 0x1.894d39f74411bp-163},
    {-0x1.bdb22d1ff9b6dp+0, -0x1.15f62e6de301ep-56, -0x1.0a71a76b2c609p-111, 0x1.1046bea5d7689p-165},
    {0x1.924bba8274648p-6, 0x1.cfe1deb1cb12ap-60, -0x1.63045df7282b4p-114, -0x1.44bb7b16638fep-168},
    {-0x1.f62e6de301e21p+0, -0x1.38d3b5963045ep-54, 0x1.1afa975da2427p-111, 0x1.338e04d68befdp-165},
    {0x1.fc3bd63962535p-1, -0x1.822efb9415a29p-57, 0x1.a24274ce38136p-111, -0x1.741037d8cdc54p-165},
    {0x1.62534e7dd1047p-1, -0x1.0568a25dbd8b3p-55, -0x1.c7eca5d040df6p-111, -0x1.9b8a719f2b318p-166},
    {-0x1.177dca0ad144cp+0, 0x1.213a671c09ad1p-54, 0x1.f7e413991d63ap-108, -0x1.f2b3182d8dee8p-162},
    {0x1.2ebb4484e99c7p+0, 0x1.35a2fbf209cc9p-59, -0x1.4e33e566305b2p-115, 0x1.08bf177bf2507p-169},
    {0x1.d338e04d68bf0p-1, -0x1.bec66e29c67cbp-56, 0x1.9cfa4e422fc5ep-111, -0x1.036be27003b40p-167},
    {-0x1.4ba081bec66e3p+0, 0x1.8e60d4ce7d272p-54, 0x1.17e2ef7e4a0ecp-110, 0x1.ff897ffde0598p-164},
    {0x1.3991d63983534p+0, -0x1.82d8dee81d108p-54, -0x1.b5f13801da001p-110, 0x1.e05980fef2f12p-164},
    {0x1.835339f49c846p+0, -0x1.d1081b5f13802p-58, 0x1.2fffbc0b301fep-113, -0x1.a1dce94beb25cp-169},
    {0x1.3908bf177bf25p-1, 0x1.d8ffc4bffef03p-59, -0x1.9fc04343b9d29p-114, -0x1.f592e092c9813p-168},
    {-0x1.081b5f13801dap-2, -0x1.0fd33f8086877p-67, -0x1.d297d64b824b2p-122, -0x1.8130d834f648bp-176},
    {-0x1.c00ed00043f4dp-1, 0x1.fde5e2316b415p-61, -0x1.2e092c98130d8p-116, -0x1.a7b24585ce04dp-171},
    {-0x1.0fd33f8086877p-3, -0x1.d297d64b824b2p-58, -0x1.8130d834f648bp-112, -0x1.738132c3402bap-169},
    {-0x1.0d0ee74a5f593p-4, 0x1.f6d367ecf27cbp-60, 0x1.36e9e8c7ecd3dp-117, -0x1.00ae9456c229cp-171},
    {-0x1.4beb25c125930p-1, -0x1.30d834f648b0cp-56, 0x1.8fd9a797fa8b6p-110, -0x1.5b08a7028341dp-165},
    {-0x1.25930261b069fp-1, 0x1.b74f463f669e6p-56, -0x1.5d28ad8453814p-116, -0x1.a0e84c2f8c608p-172},
    {-0x1.b069ec9161738p-1, -0x1.32c3402ba515bp-57, -0x1.14e050683a131p-114, 0x1.0739f78a5292fp-168},
    {-0x1.61738132c3403p-1, 0x1.16ba93dd63f5fp-55, 0x1.7c5ecf41ce7dep-110, 0x1.4a525d4d7f6bfp-165},
    {-0x1.61a015d28ad84p+0, -0x1.4e050683a130cp-54, 0x1.ce7de294a4baap-110, -0x1.404a04ee072a3p-164},
    {0x1.7527bac7ebe5fp+0, 0x1.7b3d0739f78a5p-56, 0x1.497535fdafd89p-111, -0x1.ca8bdea7f33eep-170},
};
