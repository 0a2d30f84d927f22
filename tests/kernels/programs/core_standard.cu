#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
extern "C" __global__ void kernel(const int* x, int* out) {
    const cuda::std::complex<float> z(1, 2);
    const cuda::std::array<int, 3> a{1, 2, 3};
    const auto pair = cuda::std::make_tuple(x[3], 2.5f);
    out[0] = (int)(z * z).real() + cuda::std::get<0>(pair) + a[2];
    out[1] = cuda::std::numeric_limits<int>::max();
}
