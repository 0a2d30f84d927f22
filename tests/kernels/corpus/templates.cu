// Templates, lambdas, classes and what C++17 brings; kernels reached by name expressions.

template <typename T> __global__ void scale(T* data, T factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

template <int Width, bool Reverse> __global__ void windows(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < Width; ++k) sum += in[(i + k) % n];
    if constexpr (Reverse) out[n - 1 - i] = sum;
    else out[i] = sum;
}

struct Square {
    __device__ float operator()(float x) const { return x * x; }
};
struct AddConstant {
    float amount;
    __device__ float operator()(float x) const { return x + amount; }
};
template <class Function> __device__ void each(float* data, int n, Function function) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = function(data[i]);
}
template <class Function> __global__ void apply(float* data, int n, Function function) { each(data, n, function); }

extern "C" __global__ void lambdas(float* data, int n, float shift) {
    const auto shifted = [=](float x) { return x + shift; };
    auto count = [n](float value) { return value * n; };
    each(data, n, [&](float x) { return shifted(x) * 2.0f; });
    if (blockIdx.x == 0 && threadIdx.x == 0) data[n] = count(2) + count(0.5f);
}

namespace shapes {
template <class Derived> struct Shape {
    __device__ float doubled() const { return 2 * static_cast<const Derived*>(this)->area(); }
};
struct Square : Shape<Square> {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const { return side * side; }
};
struct Circle : Shape<Circle> {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const { return 3.0f * radius * radius; }
};
__global__ void areas(const float* sizes, float* out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = i % 2 ? Square(sizes[i]).doubled() : Circle(sizes[i]).doubled();
}
}  // namespace shapes

template <class... Types> __device__ double sum_of(Types... values) { return (0.0 + ... + values); }
template <class T, int N> struct Small {
    T items[N];
    __device__ T& operator[](int at) { return items[at]; }
    __device__ constexpr int size() const { return N; }
};
__device__ constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
enum class Kind { even, odd };

// Fold expressions, structured bindings, if with initialiser, constexpr, deduced types.
extern "C" __global__ void modern(const int* in, double* out) {
    const int i = threadIdx.x;
    Small<double, 3> small{{1.0, 2.0, double(i)}};
    auto [a, b, c] = small.items;
    if (const int value = in[i]; value % 2 == 0) out[i] = sum_of(value, 0.5f, a, b);
    else out[i] = sum_of(c, small.size());
    constexpr int fact = factorial(5);
    static_assert(fact == 120, "factorials are known to the compiler");
    const Kind kind = in[i] % 2 ? Kind::odd : Kind::even;
    using Number = decltype(out[0] + 1);
    out[i] += kind == Kind::odd ? Number(fact) : Number(-1);
    for (auto item : small.items) out[i] += item;
}

template <typename T> struct Limits;
template <> struct Limits<float> {
    static constexpr float largest = 3.0e38f;
};
template <> struct Limits<int> {
    static constexpr int largest = 2147483647;
};
template <typename T> __global__ void smallest(const T* in, T* out, int n) {
    __shared__ T best[64];
    T mine = Limits<T>::largest;
    for (int i = threadIdx.x; i < n; i += 64) mine = in[i] < mine ? in[i] : mine;
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 32; s; s /= 2) {
        if (threadIdx.x < s && best[threadIdx.x + s] < best[threadIdx.x]) best[threadIdx.x] = best[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = best[0];
}

__global__ void overloaded(int* data) { data[threadIdx.x] += 1; }
__global__ void overloaded(float* data) { data[threadIdx.x] *= 2; }
