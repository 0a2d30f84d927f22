// Pointers and references to a thread's own variables that live across barriers.

struct Link { int* p; int v; };
struct Chain { Link link; Chain* next; };
typedef int* Pointer;
using Where = int*;
typedef const int& View;
template <class T> struct Ref { T* p; __device__ T& get() const { return *p; } };
template <class T> using Ptr = T*;

extern "C" __global__ void in_a_struct(int* out, int n) {
    int x = threadIdx.x;
    Link l{&x, 3};
    __syncthreads();
    *l.p += l.v;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void to_itself(int* out, int n) {
    Link l{nullptr, (int)threadIdx.x};
    l.p = &l.v;
    __syncthreads();
    *l.p += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = l.v * 2 + (l.p == &l.v);
}

extern "C" __global__ void chain_of_structs(int* out, int n) {
    int x = threadIdx.x, y = n;
    Chain last{{&x, 1}, nullptr}, first{{&y, 2}, &last};
    __syncthreads();
    for (Chain* c = &first; c; c = c->next) *c->link.p += c->link.v * 10;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

extern "C" __global__ void by_typedef(int* out, int n) {
    int x = threadIdx.x;
    Pointer p = &x;
    Where q = p;
    __syncthreads();
    *p += 1, *q *= 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void by_auto(int* out, int n) {
    int x = threadIdx.x, a[3] = {1, 2, (int)threadIdx.x};
    auto p = &x;
    auto* q = a + 1;
    auto r = &a;
    __syncthreads();
    *p += q[1];
    (*r)[0] = *p;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + a[0] * 100;
}

extern "C" __global__ void by_alias_template(int* out, int n) {
    int x = threadIdx.x;
    Ptr<int> p = &x;
    Ref<int> r{p};
    __syncthreads();
    r.get() += 5;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = *p;
}

extern "C" __global__ void array_of_pointers(int* out, int n) {
    int a = threadIdx.x, b = n, c = 7;
    int* p[3] = {&a, &b, &c};
    __syncthreads();
    *p[threadIdx.x % 3] += 10;
    for (int* q : p) *q += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a + b * 100 + c * 10000;
}

extern "C" __global__ void pointer_to_a_pointer(int* out, int n) {
    int a = threadIdx.x, b = n, *p = &a, **pp = &p;
    __syncthreads();
    **pp += 1;
    *pp = &b;
    __syncthreads();
    *p += 2;
    out[blockIdx.x * 64 + threadIdx.x] = a * 100 + b;
}

extern "C" __global__ void moving_pointer(int* out, int n) {
    int a[8] = {}, *p = a, *const end = a + 8;
    __syncthreads();
    while (p < end) *p++ = threadIdx.x + (int)(p - a);
    __syncthreads();
    int s = 0;
    for (p = a; p != end; p += 2) s += *p;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void reference_in_a_struct(int* out, int n) {
    struct Holder { int& r; const int& c; };
    int x = threadIdx.x;
    Holder h{x, n};
    __syncthreads();
    h.r += h.c;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void constant_reference(int* out, int n) {
    int x = threadIdx.x;
    const int& r = x;
    View v = x;
    __syncthreads();
    x += 3;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = r * 100 + v;
}

extern "C" __global__ void reference_to_an_element(int* out, int n) {
    int a[4] = {1, 2, 3, 4};
    int& r = a[threadIdx.x & 3];
    __syncthreads();
    r = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7;
}

extern "C" __global__ void reference_to_an_array(int* out, int n) {
    int a[4] = {1, 2, 3, (int)threadIdx.x};
    int(&r)[4] = a;
    int(*p)[4] = &a;
    __syncthreads();
    r[0] += r[3];
    (*p)[1] = r[0];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a[0] * 100 + a[1];
}

extern "C" __global__ void reference_to_a_temporary(int* out, int n) {
    const int& r = threadIdx.x + n;
    int&& q = threadIdx.x * 2;
    __syncthreads();
    q += r;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = q * 100 + r;
}

extern "C" __global__ void pointer_to_a_parameter(int* out, int n) {
    int* p = &n;
    __syncthreads();
    *p += threadIdx.x;
    __syncthreads();
    int s = 0;
    for (int i = 0; i < n; ++i) s += i;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void pointer_to_a_pointer_parameter(int* out, int n) {
    int** p = &out;
    *p += blockIdx.x * 64 + threadIdx.x;
    __syncthreads();
    *out = n * 3 + threadIdx.x;
}

extern "C" __global__ void parameter_moved(int* out, int n) {
    out += blockIdx.x * 64;
    out += threadIdx.x;
    __syncthreads();
    *out++ = n;
    __syncthreads();
    out[-1] += threadIdx.x;
}

__device__ int* pick(int* a, int* b, bool first) { return first ? a : b; }
__device__ void keep(Link& l, int* p) { l.p = p; }
__device__ Link made(int* p) { return Link{p, 9}; }

extern "C" __global__ void pointer_from_a_function(int* out, int n) {
    int a = 1, b = 2;
    int* p = pick(&a, &b, threadIdx.x & 1);
    __syncthreads();
    *p = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 100 + b;
}

extern "C" __global__ void kept_by_a_function(int* out, int n) {
    int x = threadIdx.x;
    Link l{};
    keep(l, &x);
    Link m = made(&x);
    __syncthreads();
    *l.p += 1, *m.p += m.v;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void kept_by_a_lambda(int* out, int n) {
    int x = threadIdx.x;
    auto add = [&x](int v) { x += v; };
    auto read = [&] { return x; };
    auto copy = [p = &x] { return *p; };
    __syncthreads();
    add(n);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = read() * 100 + copy();
}

extern "C" __global__ void in_shared_memory(int* out, int n) {
    __shared__ int* where[64];
    __shared__ int s[64];
    where[threadIdx.x] = &s[63 - threadIdx.x];
    __syncthreads();
    *where[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int* p = s;
    p += threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = *p;
}

extern "C" __global__ void between_memories(int* out, int n) {
    __shared__ int s[64];
    int own[1] = {(int)threadIdx.x};
    int* p = threadIdx.x & 1 ? own : s + threadIdx.x;
    s[threadIdx.x] = 100;
    __syncthreads();
    *p += 5;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = own[0] * 1000 + s[threadIdx.x];
}

extern "C" __global__ void as_an_integer(int* out, int n) {
    int x = threadIdx.x;
    unsigned long long address = (unsigned long long)&x;
    __syncthreads();
    *reinterpret_cast<int*>(address) += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void as_a_void_pointer(int* out, int n) {
    int x = threadIdx.x;
    void* p = &x;
    char* bytes = (char*)p;
    __syncthreads();
    *static_cast<int*>(p) += n;
    bytes[1] = 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void in_a_loop(int* out, int n) {
    int a[2] = {(int)threadIdx.x, 0};
    for (int i = 0, *p = a; i < n; ++i) {
        *p += i;
        __syncthreads();
        p = p == a ? a + 1 : a;
    }
    out[blockIdx.x * 64 + threadIdx.x] = a[0] * 100 + a[1];
}

extern "C" __global__ void bound_by_a_reference(int* out, int n) {
    int bound = 3, s = 0;
    int& b = bound;
    for (int i = 0; i < bound; ++i) {
        s += i;
        if (b < (int)threadIdx.x % 8) b++;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void local_that_hides_a_buffer(int* out, int n) {
    int local[4] = {0, 1, 2, 3};
    {
        int* out = local;
        out[threadIdx.x & 3] = threadIdx.x;
        __syncthreads();
        out[1] += 1;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = local[0] + local[1] * 3 + local[2] * 5 + local[3] * 7;
}
