#include <cuda/std/complex>
#include <cuda/std/functional>
extern "C" __global__ void k(const float* x, float* y) {
    const unsigned t = threadIdx.x;
    const cuda::std::complex<float> one(x[t], 1.0f), other(2.0f, x[t]);
    const cuda::std::complex<float> product = one * other, quotient = one / other, squared = one * one;
    y[5 * t] = cuda::std::plus<float>()(product.real(), product.imag());
    y[5 * t + 1] = quotient.real();
    y[5 * t + 2] = quotient.imag();
    y[5 * t + 3] = abs(squared);
    y[5 * t + 4] = arg(one);
}
