// Stands for CUDA's header of this name: complex numbers as pairs.
#pragma once
// Part for HIP programs with names that begin with: hipFloatComplex hipDoubleComplex hipComplex make_hipFloatComplex
//   make_hipDoubleComplex make_hipComplex
#include "../prelude/portable_names.h"

#include "../portable/complex_numbers.h"

#ifndef CUDA_SHIM_CUDA
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
#endif
