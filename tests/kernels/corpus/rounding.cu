// Arithmetic with a rounding mode in its name: one row for each mode, down, up and towards zero.

extern "C" __global__ void rounded_float(const float* x, const float* y, const float* z, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i], c = z[i];
    float found[] = {__fadd_rd(a, b), __fadd_ru(a, b), __fadd_rz(a, b),
                     __fsub_rd(a, b), __fsub_ru(a, b), __fsub_rz(a, b),
                     __fmul_rd(a, b), __fmul_ru(a, b), __fmul_rz(a, b),
                     __fdiv_rd(a, b), __fdiv_ru(a, b), __fdiv_rz(a, b),
                     __frcp_rd(a), __frcp_ru(a), __frcp_rz(a),
                     __fsqrt_rd(a), __fsqrt_ru(a), __fsqrt_rz(a),
                     __fmaf_rd(a, b, c), __fmaf_ru(a, b, c), __fmaf_rz(a, b, c)};
    for (int row = 0; row < 21; ++row) out[row * n + i] = found[row];
}

extern "C" __global__ void rounded_double(const double* x, const double* y, const double* z, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i], b = y[i], c = z[i];
    double found[] = {__dadd_rd(a, b), __dadd_ru(a, b), __dadd_rz(a, b),
                      __dsub_rd(a, b), __dsub_ru(a, b), __dsub_rz(a, b),
                      __dmul_rd(a, b), __dmul_ru(a, b), __dmul_rz(a, b),
                      __ddiv_rd(a, b), __ddiv_ru(a, b), __ddiv_rz(a, b),
                      __drcp_rd(a), __drcp_ru(a), __drcp_rz(a),
                      __dsqrt_rd(a), __dsqrt_ru(a), __dsqrt_rz(a),
                      __fma_rd(a, b, c), __fma_ru(a, b, c), __fma_rz(a, b, c)};
    for (int row = 0; row < 21; ++row) out[row * n + i] = found[row];
}

extern "C" __global__ void reciprocal_root(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __frsqrt_rn(x[i]);
}
