// Variables that are declared in other ways than `type name = value`.

struct Two { int a, b; };
__device__ Two two(int a, int b) { return {a, b}; }
enum class Kind : unsigned char { one = 1, other = 7 };
enum Plain { zero, first, second };
template <class T> struct Box { T v; using type = T; };
using Row = int[4];
typedef int Grid[2][3];
typedef struct { int a; short b; } Mixed;

extern "C" __global__ void binding_of_a_struct(int* out, int n) {
    auto [a, b] = two(threadIdx.x, n);
    __syncthreads();
    a += b;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 100 + b;
}

extern "C" __global__ void binding_by_reference(int* out, int n) {
    Two p{1, 2};
    auto& [a, b] = p;
    a = threadIdx.x, b += a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = p.a * 100 + p.b;
}

extern "C" __global__ void binding_of_an_array(int* out, int n) {
    int v[3] = {1, (int)threadIdx.x, n};
    auto [x, y, z] = v;
    auto&& [p, q, r] = v;
    q += 5;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 10 + z + v[1] * 1000 + p * r;
}

extern "C" __global__ void binding_in_a_condition(int* out, int n) {
    int s = 0;
    if (auto [a, b] = two(threadIdx.x, n); a > b) s = a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void struct_with_its_variable(int* out, int n) {
    struct { int a, b; } s;
    s.a = threadIdx.x;
    s.b = n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s.a * 100 + s.b;
}

extern "C" __global__ void named_struct_with_its_variables(int* out, int n) {
    struct Point { int x, y; } p = {(int)threadIdx.x, 2}, *q = &p, more[2] = {{1, 2}, {3, (int)threadIdx.x}};
    __syncthreads();
    q->x += more[1].y;
    __syncthreads();
    Point r = p;
    out[blockIdx.x * 64 + threadIdx.x] = r.x * 100 + r.y;
}

extern "C" __global__ void union_with_its_variable(int* out, int n) {
    union { float f; int i; } u;
    u.i = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = u.i;
}

extern "C" __global__ void union_of_views(int* out, int n) {
    union View { unsigned all; unsigned char byte[4]; };
    View u;
    u.all = threadIdx.x * 0x01020304u;
    __syncthreads();
    u.byte[1] += 3;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)(u.all % 1000003u);
}

extern "C" __global__ void anonymous_union(int* out, int n) {
    union { int whole; unsigned char low; };
    whole = threadIdx.x * 257;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = low * 2 + n;
}

extern "C" __global__ void enumeration_with_its_variable(int* out, int n) {
    enum { red, green, blue } colour = threadIdx.x % 3 == 0 ? red : threadIdx.x % 3 == 1 ? green : blue;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = colour == blue ? 5 : (int)colour;
}

extern "C" __global__ void enumeration_class(int* out, int n) {
    Kind k = threadIdx.x & 4 ? Kind::one : Kind::other;
    enum class Local { a = 3, b };
    Local l = static_cast<Local>(3 + (threadIdx.x & 1));
    __syncthreads();
    switch (k) {
        case Kind::one: n += 10; break;
        case Kind::other: n += 20;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = n * 10 + static_cast<int>(l);
}

extern "C" __global__ void plain_enumeration(int* out, int n) {
    Plain p = Plain(threadIdx.x % 3);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = p == second ? 100 : p + first;
}

extern "C" __global__ void in_round_brackets(int* out, int n) {
    int x(threadIdx.x), y(x + n), z = int(y);
    float f(1.5f);
    __syncthreads();
    x += y;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + z + int(f);
}

extern "C" __global__ void in_braces(int* out, int n) {
    int x{(int)threadIdx.x}, y = {x + n}, z{};
    auto w{x};
    auto u = int{y};
    __syncthreads();
    z += x, w += 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 10 + z * 100 + w * 1000 + u;
}

extern "C" __global__ void several_at_once(int* out, int n) {
    int a = threadIdx.x, *p = &a, &r = a, b[2] = {a, n}, **pp = &p, (*q)[2] = &b;
    __syncthreads();
    **pp += 1;
    r += 2;
    (*q)[1] = a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a + b[0] * 100 + b[1] * 10000;
}

extern "C" __global__ void function_declared_inside(int* out, int n) {
    extern __device__ int declared_elsewhere(int);
    int x = declared_elsewhere(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + n;
}
__device__ int declared_elsewhere(int v) { return v * 3 + 1; }

extern "C" __global__ void bit_fields(int* out, int n) {
    struct { unsigned low : 3, high : 5; int sign : 4; } b{};
    b.low = threadIdx.x, b.high = threadIdx.x, b.sign = threadIdx.x;
    __syncthreads();
    b.low += 1;
    b.high -= 3;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)b.low + (int)b.high * 10 + b.sign * 1000;
}

extern "C" __global__ void arrays_by_typedef(int* out, int n) {
    Row r = {1, 2, (int)threadIdx.x};
    Grid g = {{1}, {2, (int)threadIdx.x, 3}};
    r[3] = r[2] + n;
    __syncthreads();
    g[1][1] += r[3];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = r[0] + r[2] + g[1][1] * 100 + g[0][1];
}

extern "C" __global__ void types_in_the_kernel(int* out, int n) {
    typedef int Number, *Pointer;
    using Pair = struct { Number a, b; };
    Number x = threadIdx.x;
    Pointer p = &x;
    Pair q{x, n};
    __syncthreads();
    *p += 4;
    q.b = x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + q.a * 100 + q.b * 10000;
}

extern "C" __global__ void unnamed_typedef(int* out, int n) {
    Mixed m = {(int)threadIdx.x, 3};
    __syncthreads();
    m.b += (short)m.a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = m.a * 100 + m.b;
}

extern "C" __global__ void deduced(int* out, int n) {
    int x = threadIdx.x;
    decltype(x) y = x + 1;
    decltype(auto) z = (x);
    auto&& w = x;
    const auto* p = &x;
    z += 2;
    __syncthreads();
    w += 3;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 100 + *p * 10000;
}

extern "C" __global__ void type_of_an_expression(int* out, int n) {
    decltype(threadIdx.x + 0) t = threadIdx.x;
    decltype((t)) r = t;
    const decltype(n) m = n;
    r += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = t * 10 + m;
}

extern "C" __global__ void dependent_types(int* out, int n) {
    Box<int>::type x = threadIdx.x;
    typename Box<float>::type f = 0.5f * x;
    Box<Box<int>> b{{x}};
    __syncthreads();
    b.v.v += (int)f;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = b.v.v * 100 + x;
}

extern "C" __global__ void aligned(int* out, int n) {
    alignas(16) int v[4] = {(int)threadIdx.x, 1, 2, 3};
    alignas(8) char c[8] = {};
    __align__(16) struct { int a, b, c, d; } s = {1, (int)threadIdx.x, 3, 4};
    *(int4*)v = *(int4*)&s;
    c[3] = (char)threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v[1] + v[3] * 100 + c[3] * 1000 + (((unsigned long long)v & 15) != 0);
}

extern "C" __global__ void array_of_structs(int* out, int n) {
    Two a[3] = {{1, 2}, {(int)threadIdx.x, 4}}, b[] = {{5, 6}, two(7, threadIdx.x)};
    __syncthreads();
    a[2] = b[1];
    a[2].a += a[1].a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a[2].a * 1000 + a[2].b * 10 + (int)(sizeof(b) / sizeof(b[0]));
}

extern "C" __global__ void attributes_of_variables(int* out, int n) {
    [[maybe_unused]] int unused = 4, x [[maybe_unused]] = threadIdx.x;
    int y __attribute__((unused)) = x;
    __attribute__((aligned(8))) int z = n;
    __syncthreads();
    y += z;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = y * 10 + x;
}

extern "C" __global__ void volatile_variables(int* out, int n) {
    volatile int x = threadIdx.x;
    int volatile y = 3;
    y = x + 1;
    __syncthreads();
    x = y + n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

typedef volatile int Flag;
using Flags = Flag[2];

extern "C" __global__ void volatile_by_another_name(int* out, int n) {
    Flag x = threadIdx.x;
    Flags y = {3, 4};
    for (Flag i = 0; i < n; i = i + 1) y[i & 1] = y[i & 1] + x;
    __syncthreads();
    x = x + y[0];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y[1];
}

extern "C" __global__ void const_in_odd_places(int* out, int n) {
    int const x = threadIdx.x;
    const int* p = &x, *const q = p;
    long int unsigned wide = 1;
    unsigned long const int more = x;
    wide += more;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = *p + *q + (int)wide;
}

extern "C" __global__ void declared_late(int* out, int n) {
    int x;
    int y, z = 1;
    if (n > 2) x = threadIdx.x; else x = 0;
    __syncthreads();
    y = x, z += y;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 100 + z * 10000;
}

extern "C" __global__ void static_constants(int* out, int n) {
    static const int table[4] = {3, 1, 4, 1};
    static constexpr int scale = 7;
    constexpr int sizes[] = {2, 4, 8};
    int x = table[threadIdx.x & 3] * scale;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + sizes[threadIdx.x % 3];
}

extern "C" __global__ void struct_parameter(int* out, int n) {
    struct Holder {
        Two p;
        int m[2];
        __device__ int sum() const { return p.a + p.b + m[0] + m[1]; }
    } h = {{1, (int)threadIdx.x}, {3, n}};
    __syncthreads();
    Holder* q = &h;
    q->m[1] *= 2;
    q->p = Two{q->p.b, q->p.a};
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = h.sum() * 10 + h.p.a;
}

template <class T> __device__ T doubled(T v) { T r(v); r += v; return r; }

extern "C" __global__ void looks_like_a_comparison(int* out, int n) {
    int a = threadIdx.x, b = n, c = 2;
    bool less = a < b, more = b > (c);
    int v = doubled<int>(a), w = a < b > (c) ? 1 : 0;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = less + more * 10 + v * 100 + w;
}

extern "C" __global__ void looks_like_a_multiplication(int* out, int n) {
    int a = threadIdx.x, b = 3;
    a * b;
    {
        using a = int;
        a* p = &b;
        *p += threadIdx.x;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 100 + b;
}
