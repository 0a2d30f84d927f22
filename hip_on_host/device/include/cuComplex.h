// Stands for CUDA's header of this name: complex numbers as pairs.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// R: the real type, C: the pair, s: the suffix of its functions.
#define CUDA_SHIM_COMPLEX(R, C, Name, s)                                                                             \
    CUDA_SHIM_INLINE C make_##Name(R real, R imaginary) { return C{real, imaginary}; }                               \
    CUDA_SHIM_INLINE R cuCreal##s(C z) { return z.x; }                                                               \
    CUDA_SHIM_INLINE R cuCimag##s(C z) { return z.y; }                                                               \
    CUDA_SHIM_INLINE C cuConj##s(C z) { return C{z.x, -z.y}; }                                                       \
    CUDA_SHIM_INLINE C cuCadd##s(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                                       \
    CUDA_SHIM_INLINE C cuCsub##s(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                                       \
    CUDA_SHIM_INLINE C cuCmul##s(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }               \
    CUDA_SHIM_INLINE C cuCfma##s(C a, C b, C c) { return cuCadd##s(cuCmul##s(a, b), c); }                            \
    /* Scaled by the divisor's size, so that neither square overflows. */                                           \
    CUDA_SHIM_INLINE C cuCdiv##s(C a, C b) {                                                                         \
        const R scale = (R)1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                    \
        const R ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                              \
        const R inverse = (R)1 / (bx * bx + by * by);                                                                \
        return C{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};                                      \
    }                                                                                                                \
    CUDA_SHIM_INLINE R cuCabs##s(C z) { return hypot(z.x, z.y); }
CUDA_SHIM_COMPLEX(float, cuFloatComplex, cuFloatComplex, f)
CUDA_SHIM_COMPLEX(double, cuDoubleComplex, cuDoubleComplex, )

CUDA_SHIM_INLINE cuComplex make_cuComplex(float real, float imaginary) { return cuComplex{real, imaginary}; }
CUDA_SHIM_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex{z.x, z.y}; }
CUDA_SHIM_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return cuFloatComplex{(float)z.x, (float)z.y}; }

// HIP's names of the same.
typedef cuFloatComplex hipFloatComplex;
typedef cuDoubleComplex hipDoubleComplex;
typedef hipFloatComplex hipComplex;
#define make_hipFloatComplex make_cuFloatComplex
#define make_hipDoubleComplex make_cuDoubleComplex
#define make_hipComplex make_cuComplex
#define hipCrealf cuCrealf
#define hipCimagf cuCimagf
#define hipConjf cuConjf
#define hipCaddf cuCaddf
#define hipCsubf cuCsubf
#define hipCmulf cuCmulf
#define hipCdivf cuCdivf
#define hipCfmaf cuCfmaf
#define hipCabsf cuCabsf
#define hipCreal cuCreal
#define hipCimag cuCimag
#define hipConj cuConj
#define hipCadd cuCadd
#define hipCsub cuCsub
#define hipCmul cuCmul
#define hipCdiv cuCdiv
#define hipCfma cuCfma
#define hipCabs cuCabs
