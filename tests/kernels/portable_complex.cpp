// CUDA's complex functions on pairs of numbers: with NVIDIA_HEADER those of NVIDIA's header, else those of the portable one.
#ifdef NVIDIA_HEADER
#include <cuComplex.h>
#else
#include <cmath>
struct float2 {
    float x, y;
};
struct double2 {
    double x, y;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline double2 make_double2(double x, double y) { return {x, y}; }
#define CUDA_PORTABLE_INLINE static inline
#define CUDA_PORTABLE_FACT(fact)
#include "complex_numbers.h"
#endif

#define RUN(name, suffix, T, C)                                                                                       \
    extern "C" void name(const C* a, const C* b, const C* c, C* out, T* sizes, int n) {                               \
        for (int i = 0; i < n; ++i) {                                                                                 \
            out[i] = cuCadd##suffix(a[i], b[i]);                                                                      \
            out[n + i] = cuCsub##suffix(a[i], cuConj##suffix(b[i]));                                                  \
            out[2 * n + i] = cuCmul##suffix(a[i], b[i]);                                                              \
            out[3 * n + i] = cuCdiv##suffix(a[i], b[i]);                                                              \
            out[4 * n + i] = cuCfma##suffix(a[i], b[i], c[i]);                                                        \
            sizes[i] = cuCabs##suffix(a[i]);                                                                          \
        }                                                                                                             \
    }
RUN(floats, f, float, cuFloatComplex)
RUN(doubles, , double, cuDoubleComplex)
