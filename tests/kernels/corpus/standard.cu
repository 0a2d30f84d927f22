// What comes from cuda/std.
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

template <class T> __device__ T highest(const T* values, int n) {
    static_assert(cuda::std::is_arithmetic<T>::value, "numbers only");
    T best = cuda::std::numeric_limits<T>::lowest();
    for (int i = 0; i < n; ++i) best = values[i] > best ? values[i] : best;
    return best;
}

template <class T, cuda::std::enable_if_t<cuda::std::is_integral_v<T>, int> = 0> __device__ T halved(T value) { return value >> 1; }
template <class T, cuda::std::enable_if_t<cuda::std::is_floating_point_v<T>, int> = 0> __device__ T halved(T value) { return value * T(0.5); }

extern "C" __global__ void traits(const int* i, const float* f, cuda::std::int64_t* wide, double* out) {
    const int t = threadIdx.x;
    cuda::std::array<float, 4> four{f[t], f[t] + 1, f[t] - 1, 0.5f};
    cuda::std::pair<int, float> both(i[t], f[t]);
    cuda::std::swap(four[0], four[3]);
    both.first = cuda::std::move(both.first) + 1;
    wide[t] = static_cast<cuda::std::int64_t>(halved(i[t])) << 33;
    out[t] = highest(four.data(), (int)four.size()) + halved(both.second) + both.first;
    if (t == 0) {
        out[64] = cuda::std::numeric_limits<cuda::std::uint8_t>::max();
        out[65] = cuda::std::numeric_limits<int>::min();
        out[66] = cuda::std::numeric_limits<double>::epsilon();
        out[67] = cuda::std::is_same<cuda::std::remove_cv_t<const volatile int>, int>::value + 2 * cuda::std::is_pointer_v<decltype(f)> +
                  4 * cuda::std::is_same_v<cuda::std::conditional_t<sizeof(int) == 4, char, long>, char> +
                  8 * cuda::std::is_convertible_v<int, float> + 16 * cuda::std::is_unsigned_v<cuda::std::make_unsigned_t<int>>;
    }
}
