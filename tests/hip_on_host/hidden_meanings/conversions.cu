// Conversions by calls: parameters, results, defaults, overloads.

__device__ int narrow(char c) { return c; }
__device__ int byte(unsigned char c) { return c + 1; }
__device__ int small(short s) { s += 1; return s; }
__device__ char narrow_result(int v) { return v; }
__device__ unsigned char byte_result(int v) { return v; }
__device__ unsigned unsigned_result(int v) { return v; }
__device__ bool truth(int v) { return v; }
__device__ int from_bool(bool b) { return b ? 7 : 3; }
__device__ int cut(float f) { return f; }
__device__ float widened(int v) { return v / 2; }
__device__ float halved(float v) { return v / 2; }
__device__ double precise(float f) { return f + 0.1; }
__device__ float imprecise(double d) { return d; }
__device__ long long wide(int v) { return v * 2; }
__device__ int narrowed(long long v) { return v; }
__device__ unsigned long long shifted(unsigned v) { return v << 31; }

extern "C" __global__ void narrow_parameters(int* out, int n) {
    int t = threadIdx.x, v = narrow(t * 5), w = byte(t * 9), x = small(t * 1000 + 32000);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v * 3 + w * 1000 + x;
}

extern "C" __global__ void narrow_parameters_in_calls(int* out, int n) {
    int t = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + t] = narrow(t + 100) + narrow(byte(t * 7)) * 2 + byte(narrow(-t));
}

extern "C" __global__ void narrow_results(int* out, int n) {
    int t = threadIdx.x, v = narrow_result(t * 6), w = byte_result(t - 7);
    auto x = narrow_result(t * 3);
    __syncthreads();
    x += 100;
    out[blockIdx.x * 64 + t] = v + w * 1000 + x;
}

extern "C" __global__ void unsigned_results(int* out, int n) {
    int t = threadIdx.x;
    int less = unsigned_result(t - 30) < 10, more = unsigned_result(-t) / 1000000;
    auto u = unsigned_result(t - 9);
    __syncthreads();
    u /= 1000000;
    out[blockIdx.x * 64 + t] = less + more * 10 + (int)u;
}

extern "C" __global__ void truth_values(int* out, int n) {
    int t = threadIdx.x;
    int v = truth(t & 6) + truth(n) * 10 + from_bool(t & 12) * 100 + from_bool(0.5f * t);
    bool b = t & 4;
    b += 5;
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + b * 10000;
}

extern "C" __global__ void floats_to_integers(int* out, int n) {
    int t = threadIdx.x;
    int v = cut(t * 0.75f), w = cut(-t * 0.75), x = widened(t), y = halved(t) * 2;
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + w * 100 + x * 3 + y * 1000;
}

extern "C" __global__ void precision(int* out, int n) {
    int t = threadIdx.x;
    double d = precise(t * 0.3), e = imprecise(t * 0.3);
    __syncthreads();
    out[blockIdx.x * 64 + t] = (int)((d - t * 0.3) * 1e9) + (int)((e - t * 0.3) * 1e12);
}

extern "C" __global__ void widths(int* out, int n) {
    int t = threadIdx.x;
    long long v = wide(t + 1000000) * 1000000ll;
    int w = narrowed(v + 5), x = (int)(shifted(t) >> 30);
    __syncthreads();
    out[blockIdx.x * 64 + t] = w % 100003 + x;
}

__device__ int kind(int) { return 1; }
__device__ int kind(unsigned) { return 2; }
__device__ int kind(float) { return 3; }
__device__ int kind(double) { return 4; }
__device__ int kind(char) { return 5; }
__device__ int kind(short) { return 6; }
__device__ int kind(bool) { return 7; }
__device__ int kind(long long) { return 8; }
__device__ int kind(const int*) { return 9; }
template <class T> __device__ int kind(T*) { return 10; }

extern "C" __global__ void overloads(int* out, int n) {
    int t = threadIdx.x;
    char c = t;
    short s = t;
    int v = kind(t) + kind(threadIdx.x) * 10 + kind(0.5f * t) * 100 + kind(0.5 * t) * 1000 + kind(c) * 10000;
    __syncthreads();
    v += kind(s) + kind(c + s) * 10 + kind(t > 3) * 100 + kind(1ll * t) * 1000 + kind(out) * 10000 + kind(&c) * 100000;
    out[blockIdx.x * 64 + t] = v;
}

__device__ int ways(int& v) { return v += 100; }
__device__ int ways(const int& v) { return v + 1; }
__device__ int ways(int&& v) { return v + 2; }

extern "C" __global__ void overloads_by_reference(int* out, int n) {
    int t = threadIdx.x;
    const int c = t;
    int v = ways(c) + ways(t + 0) * 10;
    __syncthreads();
    int w = ways(t);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v + w * 1000 + t;
}

__device__ int defaults(int a, int b = 7, float c = 0.5f) { return a + b * 10 + (int)(c * 4) * 1000; }
__device__ int default_of_a_built_in(int a, int t = threadIdx.x) { return a * 100 + t; }
__device__ int counted = 0;

extern "C" __global__ void default_arguments(int* out, int n) {
    int t = threadIdx.x;
    int v = defaults(t), w = defaults(t, n), x = defaults(t, n, t);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + w + x + default_of_a_built_in(n) + default_of_a_built_in(n, 2);
}

__device__ int changed(int a, int b) { a += b; b = a * 2; return a + b; }
__device__ int array_parameter(int a[4], int k) { a[k] += 5; return a[0] + a[k]; }
__device__ int array_reference(int (&a)[4]) { int s = 0; for (int v : a) s += v; a[0] = s; return s; }
__device__ int2 pair_of(int a) { int2 p; p.x = a, p.y = a + 1; return p; }
struct Wide { int a[4]; float f; };
__device__ Wide wider(Wide w, int by) { w.a[by & 3] += by; w.f = by; return w; }
__device__ void by_pointer(Wide* w) { w->a[1] = (int)threadIdx.x; }

extern "C" __global__ void parameters_that_change(int* out, int n) {
    int t = threadIdx.x;
    int v = changed(t, n), w = changed(n, t);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v * 1000 + w + t + n;
}

extern "C" __global__ void array_parameters(int* out, int n) {
    int t = threadIdx.x, a[4] = {1, 2, t, 4};
    int v = array_parameter(a, t & 3);
    __syncthreads();
    v += array_reference(a) * 100;
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + a[0];
}

extern "C" __global__ void struct_parameters(int* out, int n) {
    Wide w = {{1, 2, 3, 4}, 0};
    int t = threadIdx.x;
    Wide x = wider(w, t);
    __syncthreads();
    by_pointer(&w);
    w.f = wider(x, 2).f;
    __syncthreads();
    out[blockIdx.x * 64 + t] = w.a[1] + x.a[0] * 10 + x.a[3] * 100 + (int)(w.f + x.f) * 1000 + pair_of(t).y;
}

struct From {
    int v;
    __device__ From(int a) : v(a + 1) {}
    __device__ From(float a) : v((int)(a * 10)) {}
    __device__ operator float() const { return v * 0.5f; }
};
__device__ int take(From f) { return f.v; }
__device__ From give(int v) { return v * 2; }

extern "C" __global__ void conversions_of_objects(int* out, int n) {
    int t = threadIdx.x;
    int v = take(t), w = take(0.5f * t);
    float f = give(t);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + w * 100 + (int)(f * 2) * 10000;
}

template <class T> __device__ T same(T v) { return v; }
template <class A, class B> __device__ auto mixed(A a, B b) -> decltype(a + b) { return a + b; }
template <class To> __device__ To as(int v) { return (To)v; }

extern "C" __global__ void template_arguments(int* out, int n) {
    int t = threadIdx.x;
    int v = same<char>(t * 5), w = same<unsigned char>(t * 5), x = same<float>(t) / 2 * 2;
    auto m = mixed((char)t, 0.25f), k = mixed(t * 0.5f, t);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + w * 10 + x * 3 + (int)(m * 4) * 100 + (int)(k * 2) + as<short>(t * 70000);
}

extern "C" __global__ void arithmetic(int* out, int n) {
    int t = threadIdx.x;
    unsigned u = t;
    char c = t * 4;
    unsigned char b = 200;
    c += 1, b += t;
    short s = c * b;
    s <<= 3;
    int v = (t - 40) / 3, w = (int)((u - 40) >> 28), x = (t - 40) % 7;
    __syncthreads();
    out[blockIdx.x * 64 + t] = c + b + s * 3 + v * 5 + w * 7 + x * 11;
}

extern "C" __global__ void variables_of_narrow_types(int* out, int n) {
    char c = threadIdx.x * 5;
    unsigned short s = threadIdx.x * 5000;
    bool b = threadIdx.x & 2;
    long long l = threadIdx.x;
    float f = 16777216.0f + threadIdx.x;
    __syncthreads();
    c++, s += 100, b |= threadIdx.x == 0, l <<= 33;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = c + s + b * 3 + (int)(l >> 32) + (int)(f - 16777216.0f);
}

extern "C" __global__ void unevaluated(int* out, int n) {
    int x = threadIdx.x;
    int y = sizeof(x++) + sizeof(char[3]) + alignof(double);
    decltype(x = 5) r = x;
    __syncthreads();
    r += y;
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

__device__ constexpr int square(int v) { return v * v; }
__device__ inline __attribute__((always_inline)) int always(int v) { return v + 1; }
__device__ __noinline__ int never(int v) { return v + 2; }
__forceinline__ __device__ int forced(int v) { return v + 3; }
static __device__ int local_to_the_file(int v) { return v + 4; }

extern "C" __global__ void kinds_of_functions(int* out, int n) {
    int a[square(3)] = {(int)threadIdx.x};
    a[square(2)] = square(threadIdx.x) + always(n) + never(a[0]) + forced(1) + local_to_the_file(2);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a[4] + (int)(sizeof(a) / 4);
}
