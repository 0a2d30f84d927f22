// Arithmetic, comparisons and functions of bfloat16; cuda_bf16.h, which has the types, includes this.
#pragma once
#pragma GCC system_header

// Arithmetic and comparison, as functions and as operators.
#define CUDA_ON_HIP_OPERATION(name, sign)                                                                             \
    CUDA_ON_HIP_BF name(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a sign (float)b); }           \
    CUDA_ON_HIP_BF operator sign(const __nv_bfloat16& a, const __nv_bfloat16& b) { return name(a, b); }               \
    CUDA_ON_HIP_DEVICE __nv_bfloat16& operator sign##=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = name(a, b); } \
    CUDA_ON_HIP_BF2 name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return {name(a.x, b.x), name(a.y, b.y)}; }          \
    CUDA_ON_HIP_BF2 operator sign(const __nv_bfloat162& a, const __nv_bfloat162& b) { return name##2(a, b); }         \
    CUDA_ON_HIP_DEVICE __nv_bfloat162& operator sign##=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = name##2(a, b); }
CUDA_ON_HIP_OPERATION(__hadd, +)
CUDA_ON_HIP_OPERATION(__hsub, -)
CUDA_ON_HIP_OPERATION(__hmul, *)
CUDA_ON_HIP_OPERATION(__hdiv, /)
#undef CUDA_ON_HIP_OPERATION
// Variants: _sat clamps the result to 0..1; _rn forbids contraction, which calls do not have anyway.
CUDA_ON_HIP_BF cuda_on_hip_saturated(__nv_bfloat16 a) {
    const float value = a;
    return __nv_bfloat16(!(value > 0.0f) ? 0.0f : value > 1.0f ? 1.0f : value);
}
#define CUDA_ON_HIP_VARIANTS(name)                                                                                     \
    CUDA_ON_HIP_BF cuda_on_hip_##name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __##name(a, b); }                \
    CUDA_ON_HIP_BF cuda_on_hip_##name##_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return cuda_on_hip_saturated(__##name(a, b)); }  \
    CUDA_ON_HIP_BF2 cuda_on_hip_##name##2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __##name##2(a, b); }         \
    CUDA_ON_HIP_BF2 cuda_on_hip_##name##2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {                                              \
        return {cuda_on_hip_##name##_sat(a.x, b.x), cuda_on_hip_##name##_sat(a.y, b.y)};                                                   \
    }
CUDA_ON_HIP_VARIANTS(hadd)
CUDA_ON_HIP_VARIANTS(hsub)
CUDA_ON_HIP_VARIANTS(hmul)
#undef CUDA_ON_HIP_VARIANTS
CUDA_ON_HIP_BF operator-(const __nv_bfloat16& a) { return __ushort_as_bfloat16(a.__x ^ 0x8000u); }
CUDA_ON_HIP_BF __hneg(__nv_bfloat16 a) { return -a; }
CUDA_ON_HIP_BF __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x & 0x7fffu); }
CUDA_ON_HIP_BF __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(fmaf(a, b, c)); }
CUDA_ON_HIP_BF2 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
CUDA_ON_HIP_BF2 __hneg2(__nv_bfloat162 a) { return {-a.x, -a.y}; }
CUDA_ON_HIP_BF2 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
CUDA_ON_HIP_DEVICE bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fffu) > 0x7f80u; }
CUDA_ON_HIP_DEVICE int cuda_on_hip_hisinf(__nv_bfloat16 a) { return a.__x == 0x7f80u ? 1 : a.__x == 0xff80u ? -1 : 0; }

CUDA_ON_HIP_DEVICE float cuda_on_hip_wide(__nv_bfloat16 a) { return a; }
CUDA_ON_HIP_BF cuda_on_hip_low(__nv_bfloat162 a) { return a.x; }
CUDA_ON_HIP_BF cuda_on_hip_high(__nv_bfloat162 a) { return a.y; }
CUDA_ON_HIP_BF2 cuda_on_hip_ones(unsigned mask, __nv_bfloat162) { return cuda_on_hip_bits<__nv_bfloat162>(mask & 0x3f803f80u); }
CUDA_ON_HIP_COMPARISONS(__nv_bfloat16, __nv_bfloat162)
#define CUDA_ON_HIP_OPERATOR(name, sign)                                                                                  \
    CUDA_ON_HIP_DEVICE bool operator sign(const __nv_bfloat16& a, const __nv_bfloat16& b) { return cuda_on_hip_h##name(a, b); }
CUDA_ON_HIP_OPERATOR(eq, ==)
CUDA_ON_HIP_OPERATOR(neu, !=)
CUDA_ON_HIP_OPERATOR(lt, <)
CUDA_ON_HIP_OPERATOR(le, <=)
CUDA_ON_HIP_OPERATOR(gt, >)
CUDA_ON_HIP_OPERATOR(ge, >=)
#undef CUDA_ON_HIP_OPERATOR
CUDA_ON_HIP_BF2 __hisnan2(__nv_bfloat162 a) {
    return {__nv_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f), __nv_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f)};
}

#define CUDA_ON_HIP_SELECT(name, function)                                                                        \
    CUDA_ON_HIP_BF cuda_on_hip_##name(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(function(a, b)); } \
    CUDA_ON_HIP_BF cuda_on_hip_##name##_nan(__nv_bfloat16 a, __nv_bfloat16 b) {                                   \
        return __hisnan(a) || __hisnan(b) ? __ushort_as_bfloat16(0x7fffu) : cuda_on_hip_##name(a, b);             \
    }                                                                                                             \
    CUDA_ON_HIP_BF2 cuda_on_hip_##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                   \
        return {cuda_on_hip_##name(a.x, b.x), cuda_on_hip_##name(a.y, b.y)};                                      \
    }                                                                                                             \
    CUDA_ON_HIP_BF2 cuda_on_hip_##name##2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {                               \
        return {cuda_on_hip_##name##_nan(a.x, b.x), cuda_on_hip_##name##_nan(a.y, b.y)};                          \
    }
CUDA_ON_HIP_SELECT(hmax, fmaxf)
CUDA_ON_HIP_SELECT(hmin, fminf)
#undef CUDA_ON_HIP_SELECT
CUDA_ON_HIP_BF cuda_on_hip_hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return cuda_on_hip_saturated(__hfma(a, b, c)); }
CUDA_ON_HIP_BF cuda_on_hip_hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return cuda_on_hip_hmax_nan(__hfma(a, b, c), __ushort_as_bfloat16(0));
}
CUDA_ON_HIP_BF2 cuda_on_hip_hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return {cuda_on_hip_hfma_sat(a.x, b.x, c.x), cuda_on_hip_hfma_sat(a.y, b.y, c.y)};
}
CUDA_ON_HIP_BF2 cuda_on_hip_hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return {cuda_on_hip_hfma_relu(a.x, b.x, c.x), cuda_on_hip_hfma_relu(a.y, b.y, c.y)};
}
CUDA_ON_HIP_BF2 cuda_on_hip_hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

#define CUDA_ON_HIP_FUNCTION(one, both, function)                                      \
    CUDA_ON_HIP_BF one(__nv_bfloat16 a) { return __nv_bfloat16(function((float)a)); } \
    CUDA_ON_HIP_BF2 both(__nv_bfloat162 a) { return {one(a.x), one(a.y)}; }
CUDA_ON_HIP_FUNCTION(hceil, h2ceil, ceilf)
CUDA_ON_HIP_FUNCTION(hfloor, h2floor, floorf)
CUDA_ON_HIP_FUNCTION(hrint, h2rint, rintf)
CUDA_ON_HIP_FUNCTION(htrunc, h2trunc, truncf)
CUDA_ON_HIP_FUNCTION(hsqrt, h2sqrt, sqrtf)
CUDA_ON_HIP_FUNCTION(hrsqrt, h2rsqrt, rsqrtf)
CUDA_ON_HIP_FUNCTION(cuda_on_hip_hrcp, cuda_on_hip_h2rcp, 1.0f /)
CUDA_ON_HIP_FUNCTION(hexp, h2exp, expf)
CUDA_ON_HIP_FUNCTION(hexp2, h2exp2, exp2f)
CUDA_ON_HIP_FUNCTION(hexp10, h2exp10, exp10f)
CUDA_ON_HIP_FUNCTION(hlog, h2log, logf)
CUDA_ON_HIP_FUNCTION(hlog2, h2log2, log2f)
CUDA_ON_HIP_FUNCTION(hlog10, h2log10, log10f)
CUDA_ON_HIP_FUNCTION(hsin, h2sin, sinf)
CUDA_ON_HIP_FUNCTION(hcos, h2cos, cosf)
CUDA_ON_HIP_FUNCTION(cuda_on_hip_htanh, cuda_on_hip_h2tanh, tanhf)
#undef CUDA_ON_HIP_FUNCTION
