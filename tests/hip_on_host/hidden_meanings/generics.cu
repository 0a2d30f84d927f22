// Templates, lambdas, constant expressions, local classes, namespaces.

template <class... Values> __device__ int sum(Values... values) { return (0 + ... + values); }
template <class... Values> __device__ void add_to_all(int by, Values&... values) { ((values += by), ...); }
template <class First, class... Rest> __device__ int first_of(First f, Rest...) { return f + (int)sizeof...(Rest); }
template <int... Is> struct Indices {};
template <int... Is> __device__ int picked(const int* a, Indices<Is...>) { return (a[Is] + ...); }
template <class F, class... Args> __device__ auto call(F&& f, Args&&... args) { return f(static_cast<Args&&>(args)...); }

extern "C" __global__ void variadic(int* out, int n) {
    int a = threadIdx.x, b = n, c = 1;
    add_to_all(threadIdx.x, a, b, c);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = sum(a, b, c) + first_of(b, 1, 2) * 1000;
}

extern "C" __global__ void packs_of_indices(int* out, int n) {
    int a[5] = {1, 2, (int)threadIdx.x, 4, n};
    __syncthreads();
    a[4] += 3;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = picked(a, Indices<0, 2, 4>()) + call([&](int i, int& r) { return r += a[i]; }, 2, a[1]);
}

template <bool twice> __device__ int chosen(int& v) {
    if constexpr (twice) {
        v *= 2;
        __syncthreads();
        return v;
    } else {
        return v + 1;
    }
}
extern "C" __global__ void chosen_when_compiled(int* out, int n) {
    int v = threadIdx.x;
    int a = chosen<true>(v);
    int b = chosen<false>(v);
    if constexpr (sizeof(int) == 4) {
        __syncthreads();
        v += 3;
    } else {
        v = 0;
    }
    out[blockIdx.x * 64 + threadIdx.x] = a + b * 100 + v * 10000;
}

__device__ constexpr int factorial(int k) { return k < 2 ? 1 : k * factorial(k - 1); }
template <int N> struct Power { static constexpr int value = 2 * Power<N - 1>::value; };
template <> struct Power<0> { static constexpr int value = 1; };

extern "C" __global__ void constant_expressions(int* out, int n) {
    constexpr int size = factorial(3), half = size / 2;
    int a[size] = {};
    a[half] = threadIdx.x;
    static_assert(size == 6, "six");
    __syncthreads();
    a[size - 1] = a[half] + Power<5>::value + factorial(threadIdx.x & 3);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a[5];
}

template <class T, int N> struct Vector {
    T v[N];
    __device__ T& operator[](int i) { return v[i]; }
    __device__ const T& operator[](int i) const { return v[i]; }
    template <class F> __device__ Vector& each(F f) {
        for (int i = 0; i < N; ++i) f(v[i], i);
        return *this;
    }
    __device__ friend Vector operator+(Vector a, const Vector& b) {
        for (int i = 0; i < N; ++i) a.v[i] += b.v[i];
        return a;
    }
    __device__ T* begin() { return v; }
    __device__ T* end() { return v + N; }
};

extern "C" __global__ void class_templates(int* out, int n) {
    Vector<int, 3> a{{1, (int)threadIdx.x, n}}, b{};
    b.each([](int& x, int i) { x = i * 2; });
    __syncthreads();
    Vector c = a + b;
    for (int& x : c) x += threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = c[0] + c[1] * 10 + c[2] * 1000;
}

extern "C" __global__ void methods_with_lambdas(int* out, int n) {
    int s = 0;
    Vector<int, 4> a{{1, 2, 3, 4}};
    a.each([&](int x, int i) { s += x * i + threadIdx.x; });
    __syncthreads();
    a.each([&s](auto& x, auto) { x = s++; });
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s * 100 + a[3];
}

extern "C" __global__ void everything_captured(int* out, int n) {
    int a = threadIdx.x, b = n;
    auto f = [=, &b](int c) mutable {
        a += c;
        b += a;
        return a;
    };
    __syncthreads();
    int x = f(1);
    __syncthreads();
    x += f(2) * 100;
    out[blockIdx.x * 64 + threadIdx.x] = x + a + b * 10000;
}

extern "C" __global__ void captured_arrays_and_structs(int* out, int n) {
    struct { int v; } s{(int)threadIdx.x};
    int a[3] = {1, 2, n};
    auto copy = [a, s](int i) { return a[i] + s.v; };
    auto change = [&](int i) { a[i] = s.v++; };
    __syncthreads();
    change(1), change(2);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = copy(1) + a[1] * 100 + a[2] * 10000 + s.v;
}

extern "C" __global__ void local_class(int* out, int n) {
    struct Thread {
        int id = threadIdx.x;
        __device__ static int block() { return blockIdx.x; }
        __device__ int global() const { return block() * blockDim.x + id; }
        __device__ void move(int by) { id = (id + by) & 63; }
    };
    Thread me;
    int g = me.global();
    __syncthreads();
    me.move(n);
    __syncthreads();
    out[g] = me.id * 100 + me.global() % 64;
}

namespace first {
__device__ int state(int v) { return v + 1; }
inline namespace newest {
__device__ int step(int v) { return v * 2; }
}
struct Counter {
    int v = 0;
    __device__ Counter& operator++() { v += 2; return *this; }
};
}  // namespace first
namespace {
__device__ int hidden(int& v) { return v++; }
}

extern "C" __global__ void namespaces(int* out, int n) {
    using namespace first;
    namespace f = first::newest;
    int v = threadIdx.x;
    int w = state(v) + f::step(v) + first::step(n) + hidden(v);
    Counter c;
    ++c, ++c;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = w * 100 + v + c.v;
}

template <class T> struct Traits { using type = int; static constexpr bool wide = false; };
template <> struct Traits<double> { using type = long long; static constexpr bool wide = true; };
template <class T> using type_of = typename Traits<T>::type;
template <class T> __device__ constexpr T pi = T(3.14159);

extern "C" __global__ void traits(int* out, int n) {
    type_of<float> a = threadIdx.x;
    type_of<double> b = 1ll << 40;
    b += a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a + (int)(b & 0xffff) * 100 + Traits<double>::wide + (int)(pi<float> * 100);
}

__device__ int fibonacci(int k) { return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2); }
__device__ bool odd(int k);
__device__ bool even(int k) { return k == 0 || odd(k - 1); }
__device__ bool odd(int k) { return k != 0 && even(k - 1); }

extern "C" __global__ void recursion(int* out, int n) {
    int v = fibonacci(threadIdx.x % 10);
    __syncthreads();
    v += odd(threadIdx.x) * 1000 + even(n) * 10000;
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

template <class F> struct Fixed {
    F f;
    template <class... A> __device__ int operator()(A... a) { return f(*this, a...); }
};
template <class F> Fixed(F) -> Fixed<F>;

extern "C" __global__ void recursive_lambda(int* out, int n) {
    int calls = 0;
    Fixed gcd{[&](auto& self, int a, int b) -> int {
        ++calls;
        return b == 0 ? a : self(b, a % b);
    }};
    int v = gcd((int)threadIdx.x, 24);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v * 100 + calls;
}

extern "C" __global__ void lambdas_in_arrays_and_conditions(int* out, int n) {
    int x = threadIdx.x;
    int a[2] = {[&] { return x++; }(), [&] { return x++; }()};
    if ([&] { x += 10; return x & 1; }()) x += 100;
    for (int i = [] { return 2; }(); [&] { return i < 5; }(); [&] { ++i; }()) x += i;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + a[0] + a[1];
}

template <class T> __device__ void kernel_body(int* out, int n) {
    __shared__ T s[64];
    T v = static_cast<T>(threadIdx.x);
    s[threadIdx.x] = v;
    __syncthreads();
    (v) += s[63 - threadIdx.x] * 2;
    out[blockIdx.x * 64 + threadIdx.x] = (int)v + n;
}
extern "C" __global__ void body_in_a_template(int* out, int n) { kernel_body<int>(out, n); }
extern "C" __global__ void body_in_a_template_of_floats(int* out, int n) { kernel_body<float>(out, n); }

struct Kernel {
    int* out;
    int n, x = 0;
    __device__ void operator()() {
        x = threadIdx.x;
        __syncthreads();
        step();
        out[blockIdx.x * 64 + threadIdx.x] = x;
    }
    __device__ void step() { (x) += n; }
};
extern "C" __global__ void body_in_an_object(int* out, int n) { Kernel{out, n}(); }

extern "C" __global__ void body_in_a_lambda(int* out, int n) {
    [&](int t) {
        int x = 0;
        (x) = t;
        __syncthreads();
        n += x;
        out[blockIdx.x * 64 + t] = n;
    }(threadIdx.x);
}

extern "C" __global__ void statement_like_expressions(int* out, int n) {
    int t = threadIdx.x, x;
    x = t, x += n, x *= 2;
    t > 30 ? (void)(x = 1) : (void)(x += 5);
    int y = (x++, x + t);
    __syncthreads();
    y = (__syncthreads(), y) + (x, t);
    !(x & 1) || (y += 1000, true);
    out[blockIdx.x * 64 + t] = x * 10 + y;
}
