// Complex numbers: CUDA's own, and a program's.
#include <cuComplex.h>

extern "C" __global__ void mandelbrot(int* out, int width, int height, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const cuDoubleComplex c = make_cuDoubleComplex(-2.0 + 3.0 * x / width, -1.5 + 3.0 * y / height);
    cuDoubleComplex z = make_cuDoubleComplex(0, 0);
    int i = 0;
    while (i < most && cuCreal(z) * cuCreal(z) + cuCimag(z) * cuCimag(z) < 4.0) {
        z = cuCadd(cuCmul(z, z), c);
        ++i;
    }
    out[y * width + x] = i;
}

extern "C" __global__ void functions_of_pairs(const cuFloatComplex* a, const cuFloatComplex* b, cuFloatComplex* out, float* lengths, int n) {
    const int i = threadIdx.x;
    out[0 * n + i] = cuCmulf(a[i], b[i]);
    out[1 * n + i] = cuCdivf(a[i], b[i]);
    out[2 * n + i] = cuCsubf(cuConjf(a[i]), b[i]);
    lengths[i] = cuCabsf(a[i]);
}

// A Fourier transform of 64 points in shared memory.
struct Complex {
    float re, im;
    __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
    __device__ Complex operator-(const Complex& o) const { return {re - o.re, im - o.im}; }
    __device__ friend Complex operator*(const Complex& a, const Complex& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

extern "C" __global__ void fft64(const Complex* in, Complex* out) {
    __shared__ Complex s[64];
    const int t = threadIdx.x;
    for (int k = t; k < 64; k += 32) s[__brev(k) >> 26] = in[blockIdx.x * 64 + k];
    __syncthreads();
    for (int half = 1; half < 64; half *= 2) {
        const int group = t / half, place = t % half, low = group * half * 2 + place;
        float sine, cosine;
        sincospif(-(float)place / half, &sine, &cosine);
        const Complex turned = s[low + half] * Complex{cosine, sine};
        const Complex kept = s[low];
        s[low] = kept + turned;
        s[low + half] = kept - turned;
        __syncthreads();
    }
    for (int k = t; k < 64; k += 32) out[blockIdx.x * 64 + k] = s[k];
}
