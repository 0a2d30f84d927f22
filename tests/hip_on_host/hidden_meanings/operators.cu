// Changes made by overloaded operators, functors, function pointers, methods and conversions.

struct Sum {
    int v;
    __device__ Sum& operator<<(int more) { v += more; return *this; }
    __device__ Sum& operator+=(const Sum& o) { v += o.v; return *this; }
    __device__ void operator()(int more) { v += more * 2; }
    __device__ int& operator[](int) { return v; }
    __device__ Sum& operator++() { v++; return *this; }
    __device__ Sum operator++(int) { Sum before = *this; v += 10; return before; }
    __device__ int operator*() const { return v; }
    __device__ Sum* operator->() { return this; }
    __device__ void add(int more) { v += more; }
    __device__ explicit operator int() const { return v; }
    __device__ Sum& operator,(int more) { v = v * 2 + more; return *this; }
};
struct V3 { float x, y, z; };
__device__ V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ V3 operator*(float k, V3 a) { return {a.x * k, a.y * k, a.z * k}; }
__device__ V3& operator+=(V3& a, V3 b) { return a = a + b; }
__device__ V3& operator>>(V3& a, float& into) { into = a.x; a.x = a.y; a.y = a.z; return a; }
__device__ int2 operator-(int2 a) { return make_int2(-a.x, -a.y); }
__device__ int2& operator|=(int2& a, int b) { a.x |= b; a.y ^= b; return a; }
__device__ bool operator<(int2 a, int2 b) { return a.x < b.x; }

extern "C" __global__ void stream_like(int* out, int n) {
    Sum acc{0};
    int t = threadIdx.x;
    acc << t << n;
    __syncthreads();
    acc << 1;
    __syncthreads();
    out[blockIdx.x * 64 + t] = acc.v;
}

extern "C" __global__ void stream_like_in_a_loop(int* out, int n) {
    Sum acc{0};
    for (int i = 0; i < n; ++i) acc << (int)threadIdx.x + i;
    out[blockIdx.x * 64 + threadIdx.x] = acc.v;
}

extern "C" __global__ void extracting(int* out, int n) {
    V3 a{(float)threadIdx.x, 2, 3};
    float x = 0, y = 0;
    a >> x >> y;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)(x * 100 + y * 10 + a.x);
}

extern "C" __global__ void functor(int* out, int n) {
    Sum add{1};
    for (int i = 0; i < n; ++i) add(threadIdx.x);
    __syncthreads();
    add(1);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = add.v;
}

struct Setter {
    int& target;
    __device__ void operator()(int v) const { target = v; }
    __device__ const Setter& operator=(int v) const { target = v * 2; return *this; }
};

extern "C" __global__ void functor_with_a_reference(int* out, int n) {
    int x = 0;
    const Setter set{x};
    set(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void temporary_functor(int* out, int n) {
    int x = 0, y = 0;
    Setter{x}(threadIdx.x);
    Setter{y} = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 1000 + y;
}

extern "C" __global__ void indexed_object(int* out, int n) {
    Sum s{0};
    s[0] = threadIdx.x;
    __syncthreads();
    s[1] += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[2];
}

extern "C" __global__ void incremented_object(int* out, int n) {
    Sum s{(int)threadIdx.x};
    ++s;
    int before = *s++;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = *s * 100 + before;
}

extern "C" __global__ void arrow_operator(int* out, int n) {
    Sum s{0};
    s->v = threadIdx.x;
    s->add(n);
    __syncthreads();
    s->add(1);
    out[blockIdx.x * 64 + threadIdx.x] = s->v;
}

extern "C" __global__ void methods(int* out, int n) {
    Sum s{0};
    s.add(threadIdx.x);
    __syncthreads();
    (&s)->add(1);
    (s).add(2);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s.v;
}

extern "C" __global__ void operator_by_name(int* out, int n) {
    Sum s{1};
    s.operator+=(Sum{(int)threadIdx.x});
    s.operator()(3);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s.operator int();
}

extern "C" __global__ void comma_operator(int* out, int n) {
    Sum s{(int)threadIdx.x};
    s, 1, 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s.v;
}

extern "C" __global__ void vectors_of_the_program(int* out, int n) {
    V3 p{0, 0, 0}, d{1, (float)threadIdx.x, 2};
    for (int i = 0; i < n; ++i) p += 0.5f * d;
    __syncthreads();
    p = p + d;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)(p.x + p.y * 10 + p.z * 100);
}

extern "C" __global__ void operators_on_cuda_vectors(int* out, int n) {
    int2 a = make_int2(threadIdx.x, n);
    a = -a;
    a |= 5;
    __syncthreads();
    int2 b = make_int2(1, 1);
    b |= threadIdx.x;
    int less = a < b;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a.x * 100 + a.y + b.x * 10 + b.y + less;
}

__device__ void plus(int& x, int v) { x += v; }
__device__ void minus(int& x, int v) { x -= v; }
typedef void (*Change)(int&, int);

extern "C" __global__ void function_pointer(int* out, int n) {
    int x = 0;
    void (*change)(int&, int) = n > 3 ? plus : minus;
    change(x, threadIdx.x);
    __syncthreads();
    (*change)(x, 1);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void function_pointer_of_each_thread(int* out, int n) {
    int x = 0;
    Change change = threadIdx.x & 1 ? &plus : &minus;
    __syncthreads();
    change(x, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void array_of_functions(int* out, int n) {
    const Change changes[2] = {plus, minus};
    int x = 7;
    for (int i = 0; i < n; ++i) changes[(threadIdx.x + i) & 1](x, i + threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void function_reference(int* out, int n) {
    auto& change = minus;
    int x = 3;
    change(x, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void method_pointer(int* out, int n) {
    Sum s{2};
    void (Sum::*call)(int) = threadIdx.x < 64 ? &Sum::add : &Sum::operator();
    (s.*call)(threadIdx.x);
    __syncthreads();
    (&s->*call)(n);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s.v;
}

template <class F> __device__ void apply(F f, int v) { f(v); }
template <class F> __device__ auto applied(F&& f, int& x) -> decltype(f(x)) { return f(x); }

extern "C" __global__ void lambda_by_reference(int* out, int n) {
    int x = 0;
    auto set = [&](int v) { x = v; };
    set(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void lambda_by_named_reference(int* out, int n) {
    int x = 0, y = n;
    [&x, y](int v) { x = v + y; }(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void lambda_called_at_once(int* out, int n) {
    int x = [&] { return n + (int)threadIdx.x; }();
    [&]() { x += threadIdx.x; }();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void lambda_with_state(int* out, int n) {
    auto next = [s = (int)threadIdx.x]() mutable { return s += 3; };
    next();
    __syncthreads();
    int b = next();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = next() * 100 + b;
}

extern "C" __global__ void lambda_handed_on(int* out, int n) {
    int x = 0;
    apply([&](int v) { x += v; }, threadIdx.x);
    apply([&x](auto v) { x += v * 2; }, n);
    __syncthreads();
    int y = applied([](int& w) { return w++; }, x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

extern "C" __global__ void lambda_in_a_lambda(int* out, int n) {
    int x = 0;
    auto outer = [&](int v) {
        auto inner = [&](int w) { x = w; };
        inner(v + 1);
    };
    outer(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void lambda_of_a_parameter(int* out, int n) {
    auto grow = [&] { n += threadIdx.x; };
    grow();
    __syncthreads();
    int s = 0;
    for (int i = 0; i < n; ++i) s += i & 3;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void lambda_as_a_pointer(int* out, int n) {
    void (*set)(int&, int) = [](int& x, int v) { x = v; };
    int x = 0;
    set(x, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

struct Proxy {
    int* p;
    __device__ operator int&() { return *p; }
    __device__ Proxy& operator=(int v) { *p = v; return *this; }
};

extern "C" __global__ void proxy(int* out, int n) {
    int x = 0;
    Proxy p{&x};
    p = threadIdx.x;
    __syncthreads();
    int& r = p;
    r += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

struct Degrees {
    int v;
    __device__ explicit Degrees(int x) : v(x + (int)threadIdx.x) {}
};
__device__ Degrees operator""_deg(unsigned long long x) { return Degrees((int)x); }

extern "C" __global__ void literals(int* out, int n) {
    Degrees d = 5_deg;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = d.v;
}
