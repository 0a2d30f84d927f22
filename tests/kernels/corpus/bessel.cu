// Bessel functions: of any order, and modified ones.

extern "C" __global__ void bessel(const double* in, double* out, float* narrow, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = cyl_bessel_i0(in[i]);
    out[n + i] = cyl_bessel_i1(in[i]);
    out[2 * n + i] = j1(in[i]);
    out[3 * n + i] = jn(3, in[i]);
    narrow[i] = cyl_bessel_i0f((float)in[i]);
    narrow[n + i] = jnf(2, (float)in[i]);
}
