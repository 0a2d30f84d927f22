// Complex numbers as pairs, by CUDA's formulas: cuComplex.h.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// Division and absolute value are scaled, as CUDA scales them, so that they neither overflow nor underflow needlessly.
#define CUDA_PORTABLE_COMPLEX(suffix, complex, real, make, absolute, root)                                            \
    CUDA_PORTABLE_INLINE complex make_##complex(real r, real i) { return make(r, i); }                                \
    CUDA_PORTABLE_INLINE real cuCreal##suffix(complex a) { return a.x; }                                              \
    CUDA_PORTABLE_INLINE real cuCimag##suffix(complex a) { return a.y; }                                              \
    CUDA_PORTABLE_INLINE complex cuConj##suffix(complex a) { return make(a.x, -a.y); }                                \
    CUDA_PORTABLE_INLINE complex cuCadd##suffix(complex a, complex b) { return make(a.x + b.x, a.y + b.y); }          \
    CUDA_PORTABLE_INLINE complex cuCsub##suffix(complex a, complex b) { return make(a.x - b.x, a.y - b.y); }          \
    CUDA_PORTABLE_INLINE complex cuCmul##suffix(complex a, complex b) {                                               \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                    \
    }                                                                                                                 \
    CUDA_PORTABLE_INLINE complex cuCdiv##suffix(complex a, complex b) {                                               \
        const real scale = (real)1 / (absolute(b.x) + absolute(b.y));                                                 \
        const real ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;                            \
        const real norm = (real)1 / (br * br + bi * bi);                                                              \
        return make((ar * br + ai * bi) * norm, (ai * br - ar * bi) * norm);                                          \
    }                                                                                                                 \
    CUDA_PORTABLE_INLINE real cuCabs##suffix(complex a) {                                                             \
        const real x = absolute(a.x), y = absolute(a.y), high = x > y ? x : y, low = x > y ? y : x;                   \
        if (high == 0 || !(high - high == 0)) return high + low;                                                      \
        const real ratio = low / high;                                                                                \
        return high * root((real)1 + ratio * ratio);                                                                  \
    }                                                                                                                 \
    CUDA_PORTABLE_INLINE complex cuCfma##suffix(complex a, complex b, complex c) {                                    \
        return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);                                        \
    }
CUDA_PORTABLE_COMPLEX(f, cuFloatComplex, float, make_float2, fabsf, sqrtf)
CUDA_PORTABLE_COMPLEX(, cuDoubleComplex, double, make_double2, fabs, sqrt)
#undef CUDA_PORTABLE_COMPLEX
CUDA_PORTABLE_INLINE cuComplex make_cuComplex(float r, float i) { return make_float2(r, i); }
CUDA_PORTABLE_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_double2(a.x, a.y); }
CUDA_PORTABLE_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return make_float2((float)a.x, (float)a.y); }
