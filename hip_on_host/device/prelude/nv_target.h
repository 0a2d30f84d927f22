// NV_IF_TARGET and its like, which NVRTC defines from CUDA 12 on: code for one target or another. The target is device
// code of __CUDA_ARCH__.
#pragma once

#if CUDA_SHIM_CUDA >= 12000
#define __NV_TARGET_H
#endif
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0
#define NV_IS_DEVICE 1
#define NV_IS_HOST 0
#if __CUDA_ARCH__ >= 350
#define NV_PROVIDES_SM_35 1
#else
#define NV_PROVIDES_SM_35 0
#endif
#if __CUDA_ARCH__ == 350
#define NV_IS_EXACTLY_SM_35 1
#define NV_TARGET_MINIMUM_SM_INTEGER 35
#else
#define NV_IS_EXACTLY_SM_35 0
#endif
#if __CUDA_ARCH__ >= 370
#define NV_PROVIDES_SM_37 1
#else
#define NV_PROVIDES_SM_37 0
#endif
#if __CUDA_ARCH__ == 370
#define NV_IS_EXACTLY_SM_37 1
#define NV_TARGET_MINIMUM_SM_INTEGER 37
#else
#define NV_IS_EXACTLY_SM_37 0
#endif
#if __CUDA_ARCH__ >= 500
#define NV_PROVIDES_SM_50 1
#else
#define NV_PROVIDES_SM_50 0
#endif
#if __CUDA_ARCH__ == 500
#define NV_IS_EXACTLY_SM_50 1
#define NV_TARGET_MINIMUM_SM_INTEGER 50
#else
#define NV_IS_EXACTLY_SM_50 0
#endif
#if __CUDA_ARCH__ >= 520
#define NV_PROVIDES_SM_52 1
#else
#define NV_PROVIDES_SM_52 0
#endif
#if __CUDA_ARCH__ == 520
#define NV_IS_EXACTLY_SM_52 1
#define NV_TARGET_MINIMUM_SM_INTEGER 52
#else
#define NV_IS_EXACTLY_SM_52 0
#endif
#if __CUDA_ARCH__ >= 530
#define NV_PROVIDES_SM_53 1
#else
#define NV_PROVIDES_SM_53 0
#endif
#if __CUDA_ARCH__ == 530
#define NV_IS_EXACTLY_SM_53 1
#define NV_TARGET_MINIMUM_SM_INTEGER 53
#else
#define NV_IS_EXACTLY_SM_53 0
#endif
#if __CUDA_ARCH__ >= 600
#define NV_PROVIDES_SM_60 1
#else
#define NV_PROVIDES_SM_60 0
#endif
#if __CUDA_ARCH__ == 600
#define NV_IS_EXACTLY_SM_60 1
#define NV_TARGET_MINIMUM_SM_INTEGER 60
#else
#define NV_IS_EXACTLY_SM_60 0
#endif
#if __CUDA_ARCH__ >= 610
#define NV_PROVIDES_SM_61 1
#else
#define NV_PROVIDES_SM_61 0
#endif
#if __CUDA_ARCH__ == 610
#define NV_IS_EXACTLY_SM_61 1
#define NV_TARGET_MINIMUM_SM_INTEGER 61
#else
#define NV_IS_EXACTLY_SM_61 0
#endif
#if __CUDA_ARCH__ >= 620
#define NV_PROVIDES_SM_62 1
#else
#define NV_PROVIDES_SM_62 0
#endif
#if __CUDA_ARCH__ == 620
#define NV_IS_EXACTLY_SM_62 1
#define NV_TARGET_MINIMUM_SM_INTEGER 62
#else
#define NV_IS_EXACTLY_SM_62 0
#endif
#if __CUDA_ARCH__ >= 700
#define NV_PROVIDES_SM_70 1
#else
#define NV_PROVIDES_SM_70 0
#endif
#if __CUDA_ARCH__ == 700
#define NV_IS_EXACTLY_SM_70 1
#define NV_TARGET_MINIMUM_SM_INTEGER 70
#else
#define NV_IS_EXACTLY_SM_70 0
#endif
#if __CUDA_ARCH__ >= 720
#define NV_PROVIDES_SM_72 1
#else
#define NV_PROVIDES_SM_72 0
#endif
#if __CUDA_ARCH__ == 720
#define NV_IS_EXACTLY_SM_72 1
#define NV_TARGET_MINIMUM_SM_INTEGER 72
#else
#define NV_IS_EXACTLY_SM_72 0
#endif
#if __CUDA_ARCH__ >= 750
#define NV_PROVIDES_SM_75 1
#else
#define NV_PROVIDES_SM_75 0
#endif
#if __CUDA_ARCH__ == 750
#define NV_IS_EXACTLY_SM_75 1
#define NV_TARGET_MINIMUM_SM_INTEGER 75
#else
#define NV_IS_EXACTLY_SM_75 0
#endif
#if __CUDA_ARCH__ >= 800
#define NV_PROVIDES_SM_80 1
#else
#define NV_PROVIDES_SM_80 0
#endif
#if __CUDA_ARCH__ == 800
#define NV_IS_EXACTLY_SM_80 1
#define NV_TARGET_MINIMUM_SM_INTEGER 80
#else
#define NV_IS_EXACTLY_SM_80 0
#endif
#if __CUDA_ARCH__ >= 860
#define NV_PROVIDES_SM_86 1
#else
#define NV_PROVIDES_SM_86 0
#endif
#if __CUDA_ARCH__ == 860
#define NV_IS_EXACTLY_SM_86 1
#define NV_TARGET_MINIMUM_SM_INTEGER 86
#else
#define NV_IS_EXACTLY_SM_86 0
#endif
#if __CUDA_ARCH__ >= 870
#define NV_PROVIDES_SM_87 1
#else
#define NV_PROVIDES_SM_87 0
#endif
#if __CUDA_ARCH__ == 870
#define NV_IS_EXACTLY_SM_87 1
#define NV_TARGET_MINIMUM_SM_INTEGER 87
#else
#define NV_IS_EXACTLY_SM_87 0
#endif
#if __CUDA_ARCH__ >= 880
#define NV_PROVIDES_SM_88 1
#else
#define NV_PROVIDES_SM_88 0
#endif
#if __CUDA_ARCH__ == 880
#define NV_IS_EXACTLY_SM_88 1
#define NV_TARGET_MINIMUM_SM_INTEGER 88
#else
#define NV_IS_EXACTLY_SM_88 0
#endif
#if __CUDA_ARCH__ >= 890
#define NV_PROVIDES_SM_89 1
#else
#define NV_PROVIDES_SM_89 0
#endif
#if __CUDA_ARCH__ == 890
#define NV_IS_EXACTLY_SM_89 1
#define NV_TARGET_MINIMUM_SM_INTEGER 89
#else
#define NV_IS_EXACTLY_SM_89 0
#endif
#if __CUDA_ARCH__ >= 900
#define NV_PROVIDES_SM_90 1
#else
#define NV_PROVIDES_SM_90 0
#endif
#if __CUDA_ARCH__ == 900
#define NV_IS_EXACTLY_SM_90 1
#define NV_TARGET_MINIMUM_SM_INTEGER 90
#else
#define NV_IS_EXACTLY_SM_90 0
#endif
#if __CUDA_ARCH__ >= 1000
#define NV_PROVIDES_SM_100 1
#else
#define NV_PROVIDES_SM_100 0
#endif
#if __CUDA_ARCH__ == 1000
#define NV_IS_EXACTLY_SM_100 1
#define NV_TARGET_MINIMUM_SM_INTEGER 100
#else
#define NV_IS_EXACTLY_SM_100 0
#endif
#if __CUDA_ARCH__ >= 1030
#define NV_PROVIDES_SM_103 1
#else
#define NV_PROVIDES_SM_103 0
#endif
#if __CUDA_ARCH__ == 1030
#define NV_IS_EXACTLY_SM_103 1
#define NV_TARGET_MINIMUM_SM_INTEGER 103
#else
#define NV_IS_EXACTLY_SM_103 0
#endif
#if __CUDA_ARCH__ >= 1070
#define NV_PROVIDES_SM_107 1
#else
#define NV_PROVIDES_SM_107 0
#endif
#if __CUDA_ARCH__ == 1070
#define NV_IS_EXACTLY_SM_107 1
#define NV_TARGET_MINIMUM_SM_INTEGER 107
#else
#define NV_IS_EXACTLY_SM_107 0
#endif
#if __CUDA_ARCH__ >= 1100
#define NV_PROVIDES_SM_110 1
#else
#define NV_PROVIDES_SM_110 0
#endif
#if __CUDA_ARCH__ == 1100
#define NV_IS_EXACTLY_SM_110 1
#define NV_TARGET_MINIMUM_SM_INTEGER 110
#else
#define NV_IS_EXACTLY_SM_110 0
#endif
#if __CUDA_ARCH__ >= 1200
#define NV_PROVIDES_SM_120 1
#else
#define NV_PROVIDES_SM_120 0
#endif
#if __CUDA_ARCH__ == 1200
#define NV_IS_EXACTLY_SM_120 1
#define NV_TARGET_MINIMUM_SM_INTEGER 120
#else
#define NV_IS_EXACTLY_SM_120 0
#endif
#if __CUDA_ARCH__ >= 1210
#define NV_PROVIDES_SM_121 1
#else
#define NV_PROVIDES_SM_121 0
#endif
#if __CUDA_ARCH__ == 1210
#define NV_IS_EXACTLY_SM_121 1
#define NV_TARGET_MINIMUM_SM_INTEGER 121
#else
#define NV_IS_EXACTLY_SM_121 0
#endif
// Features of one architecture or family that no later one has: none of them is here.
#define NV_HAS_FEATURE_SM_90a 0
#define NV_HAS_FEATURE_SM_100a 0
#define NV_HAS_FEATURE_SM_100f 0
#define NV_HAS_FEATURE_SM_103a 0
#define NV_HAS_FEATURE_SM_103f 0
#define NV_HAS_FEATURE_SM_107a 0
#define NV_HAS_FEATURE_SM_107f 0
#define NV_HAS_FEATURE_SM_110a 0
#define NV_HAS_FEATURE_SM_110f 0
#define NV_HAS_FEATURE_SM_120a 0
#define NV_HAS_FEATURE_SM_120f 0
#define NV_HAS_FEATURE_SM_121a 0
#define NV_HAS_FEATURE_SM_121f 0

// The code is in parentheses, which are taken off, or is a single argument without.
#define CUDA_SHIM_NV_JOIN_(a, b) a##b
#define CUDA_SHIM_NV_JOIN(a, b) CUDA_SHIM_NV_JOIN_(a, b)
#define CUDA_SHIM_NV_SECOND_(first, second, ...) second
#define CUDA_SHIM_NV_SECOND(...) CUDA_SHIM_NV_SECOND_(__VA_ARGS__)
#define CUDA_SHIM_NV_PARENTHESES(...) 0, BARE,
#define CUDA_SHIM_NV_BARE(...) __VA_ARGS__
#define CUDA_SHIM_NV_AS_IT_IS_BARE(code) CUDA_SHIM_NV_BARE code
#define CUDA_SHIM_NV_AS_IT_IS_(code) code
#define CUDA_SHIM_NV_CODE(code) \
    { CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_AS_IT_IS_, CUDA_SHIM_NV_SECOND(CUDA_SHIM_NV_PARENTHESES code, , ))(code) }

#define NV_IF_TARGET(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_IF_, condition)(__VA_ARGS__, , )
#define NV_IF_ELSE_TARGET(condition, ...) NV_IF_TARGET(condition, __VA_ARGS__)
#define CUDA_SHIM_NV_IF_1(code, otherwise, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_IF_0(code, otherwise, ...) CUDA_SHIM_NV_CODE(otherwise)

// Pairs of a condition and its code: the first that holds.
#define NV_DISPATCH_TARGET(...) CUDA_SHIM_NV_FIRST_1(__VA_ARGS__, 1, (), )
#define CUDA_SHIM_NV_FIRST_1(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_1_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_1_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_1_0(code, ...) CUDA_SHIM_NV_FIRST_2(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_2(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_2_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_2_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_2_0(code, ...) CUDA_SHIM_NV_FIRST_3(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_3(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_3_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_3_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_3_0(code, ...) CUDA_SHIM_NV_FIRST_4(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_4(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_4_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_4_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_4_0(code, ...) CUDA_SHIM_NV_FIRST_5(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_5(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_5_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_5_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_5_0(code, ...) CUDA_SHIM_NV_FIRST_6(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_6(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_6_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_6_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_6_0(code, ...) CUDA_SHIM_NV_FIRST_7(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_7(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_7_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_7_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_7_0(code, ...) CUDA_SHIM_NV_FIRST_8(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_8(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_8_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_8_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_8_0(code, ...) CUDA_SHIM_NV_FIRST_9(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_9(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_9_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_9_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_9_0(code, ...) CUDA_SHIM_NV_FIRST_10(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_10(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_10_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_10_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_10_0(code, ...) CUDA_SHIM_NV_FIRST_11(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_11(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_11_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_11_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_11_0(code, ...) CUDA_SHIM_NV_FIRST_12(__VA_ARGS__)
#define CUDA_SHIM_NV_FIRST_12(condition, ...) CUDA_SHIM_NV_JOIN(CUDA_SHIM_NV_TAKE_12_, condition)(__VA_ARGS__)
#define CUDA_SHIM_NV_TAKE_12_1(code, ...) CUDA_SHIM_NV_CODE(code)
#define CUDA_SHIM_NV_TAKE_12_0(code, ...)
