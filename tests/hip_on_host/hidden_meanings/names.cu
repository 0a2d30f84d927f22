// Names that are used twice, hide others, or look like something else.

extern "C" __global__ void hidden_in_a_block(int* out, int n) {
    int x = threadIdx.x;
    {
        int x = 3;
        __syncthreads();
        x += n;
        { int x = 99; (void)x; }
        out[blockIdx.x * 64 + threadIdx.x] = x;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] += x;
}

extern "C" __global__ void uniform_outside_own_inside(int* out, int n) {
    int x = 3, s = 0;
    for (int i = 0; i < x; ++i) {
        int x = threadIdx.x + i;
        s += x;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = s + x;
}

extern "C" __global__ void own_outside_uniform_inside(int* out, int n) {
    int k = threadIdx.x, s = 0;
    for (int k = 0; k < n; ++k) {
        __syncthreads();
        s += k;
    }
    while (k > 40) --k;
    out[blockIdx.x * 64 + threadIdx.x] = s * 100 + k;
}

extern "C" __global__ void hidden_in_a_for_header(int* out, int n) {
    int i = threadIdx.x, s = 0;
    for (int i = 0, n = 3; i < n; ++i) s += i;
    for (int n = i; n > 0; n /= 2) s++;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s * 100 + i + n;
}

extern "C" __global__ void hidden_in_an_if_header(int* out, int n) {
    int v = n;
    if (int v = threadIdx.x & 1; v == 0) out[blockIdx.x * 64 + threadIdx.x] = v + 10;
    else out[blockIdx.x * 64 + threadIdx.x] = v + 20;
    __syncthreads();
    if (int v = n - 5) v++;
    out[blockIdx.x * 64 + threadIdx.x] += v;
}

extern "C" __global__ void hidden_in_a_switch_header(int* out, int n) {
    int k = n;
    switch (int k = threadIdx.x % 3) {
        case 1: k += 5; out[blockIdx.x * 64 + threadIdx.x] = k; break;
        default: { int n = k; out[blockIdx.x * 64 + threadIdx.x] = n; }
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] += k * 10 + n;
}

extern "C" __global__ void hidden_by_captures(int* out, int n) {
    int x = threadIdx.x;
    auto f = [x = n, y = x](int n) { return x + y * 10 + n; };
    __syncthreads();
    auto g = [&, n = x](int x) mutable { n += x; return n; };
    out[blockIdx.x * 64 + threadIdx.x] = f(1) + g(2) * 100 + x;
}

extern "C" __global__ void own_value_of_the_outer_name(int* out, int n) {
    int x = threadIdx.x;
    {
        int y = x, x = y + 1;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
    }
}

extern "C" __global__ void parameter_of_another_type(int* out, int n) {
    {
        float n = 0.5f * threadIdx.x;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = (int)(n * 4);
    }
    {
        int n[2] = {1, (int)threadIdx.x};
        out[blockIdx.x * 64 + threadIdx.x] += n[1];
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] += n;
}

extern "C" __global__ void called_like_a_function(int* out, int n) {
    int min = threadIdx.x, max = n, abs = 3;
    __syncthreads();
    min += max;
    abs *= 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = min * 10 + abs + ::max(1, 2);
}

extern "C" __global__ void called_like_built_ins(int* out, int n) {
    int threadIdx_x = threadIdx.x, blockDim_x = 4, syncthreads = 1, warpSize_ = warpSize;
    __syncthreads();
    threadIdx_x += blockDim_x + syncthreads;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx_x * 100 + warpSize_;
}

extern "C" __global__ void called_like_dimensions(int* out, int n) {
    int3 threadIdx_ = make_int3(threadIdx.x, 1, 2), idx = threadIdx_;
    struct { int x, y; } blockIdx_{3, 4};
    int x = threadIdx.x, y = blockIdx_.x;
    __syncthreads();
    x += blockIdx_.y + idx.x;
    out[blockIdx.x * 64 + threadIdx.x] = x * 10 + y;
}

extern "C" __global__ void built_in_hidden(int* out, int n) {
    int t = threadIdx.x;
    uint3 mine = threadIdx;
    {
        struct { int x; } threadIdx = {n};
        __syncthreads();
        t += threadIdx.x;
    }
    {
        uint3 threadIdx = make_uint3(mine.x * 2, 0, 0);
        __syncthreads();
        t += threadIdx.x;
    }
    out[blockIdx.x * 64 + mine.x] = t;
}

struct Thing { int v; };
__device__ int value(int v) { return v * 2; }
__device__ int helper(int a, int b) { int t = a; t += b; return t; }

extern "C" __global__ void called_like_a_type(int* out, int n) {
    Thing Thing = {(int)threadIdx.x};
    __syncthreads();
    Thing.v += 2;
    struct Thing other = {n};
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = Thing.v * 100 + other.v;
}

extern "C" __global__ void called_like_a_device_function(int* out, int n) {
    int value = threadIdx.x;
    int w = ::value(value);
    __syncthreads();
    value += w;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

extern "C" __global__ void names_of_the_callee(int* out, int n) {
    int t = threadIdx.x, a = 100, b = 7;
    int r = helper(b, t);
    __syncthreads();
    int s = helper(t + a, helper(a, b));
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = t + a + b * 1000 + r * 10 + s;
}

__device__ int scale = 3;
__device__ int scaled(int v) { return v * scale; }
__constant__ int weights[4] = {1, 10, 100, 1000};
__device__ int weighted(int i) { return weights[i & 3]; }

extern "C" __global__ void global_hidden_where_it_is_called(int* out, int n) {
    int scale = threadIdx.x, weights = 5;
    int v = scaled(2);
    __syncthreads();
    v += scaled(scale) + weighted(weights);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v * 10 + weights;
}

#define FACTOR 4
__device__ int multiplied(int v) { return v * FACTOR; }
#undef FACTOR
#define FACTOR threadIdx.x

extern "C" __global__ void macro_of_another_meaning(int* out, int n) {
    int v = multiplied(3);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v * 100 + FACTOR;
}
#undef FACTOR

namespace inner {
__device__ int value(int v) { return v + 1000; }
struct Thing { short v; };
__device__ int both(int v) { return value(v) + ::value(v); }
}  // namespace inner

extern "C" __global__ void names_of_a_namespace(int* out, int n) {
    int t = threadIdx.x;
    int a = inner::both(t), b = value(t);
    __syncthreads();
    {
        using namespace inner;
        using inner::value;
        b += value(n);
        inner::Thing s{(short)t};
        b += s.v;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a + b * 10;
}

struct Hides {
    int n, t;
    __device__ int sum(int t) const { return n + t + this->t; }
    __device__ Hides& grow(int n) { this->n += n; return *this; }
};

extern "C" __global__ void names_of_members(int* out, int n) {
    int t = threadIdx.x;
    Hides h{t, n};
    h.n = n, h.t = t;
    __syncthreads();
    h.grow(t).grow(1);
    int s = h.sum(2);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s * 10 + h.n + n;
}

extern "C" __global__ void same_name_in_both_branches(int* out, int n) {
    int r = 0;
    if (n > 3) {
        int v = threadIdx.x;
        __syncthreads();
        r += v;
    } else {
        float v = 0.5f;
        __syncthreads();
        r += (int)v;
    }
    {
        const int v = 4;
        __syncthreads();
        r += v;
    }
    for (int v = 0; v < 2; ++v) r += v;
    out[blockIdx.x * 64 + threadIdx.x] = r;
}

extern "C" __global__ void type_hidden_by_a_type(int* out, int n) {
    struct Thing { short a; float v; };
    Thing s{3, 0.25f * threadIdx.x};
    __syncthreads();
    {
        using Thing = int;
        Thing k = threadIdx.x;
        s.a += (short)k;
    }
    typedef unsigned n_t;
    n_t u = s.a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s.a * 100 + (int)(s.v * 4) + (int)u;
}

extern "C" __global__ void enumerators_and_labels(int* out, int n) {
    enum { t = 3, s = 7 };
    int x = threadIdx.x;
    __syncthreads();
    goto t;
t:
    x += t * s;
    {
        int t = threadIdx.x;
        __syncthreads();
        x += t;
    }
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void unusual_names(int* out, int n) {
    int _ = threadIdx.x, __x = 1, x_ = 2, cs_t = 3, lane = 4, thread = 5, i0 = 6, cuda = 7, hip = 8;
    __syncthreads();
    _ += __x + x_ + cs_t + lane + thread + i0 + cuda + hip;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = _ * 10 + n;
}

extern "C" __global__ void used_in_its_own_size(int* out, int n) {
    int x = sizeof x;
    int y = sizeof(threadIdx.x) + x;
    decltype(x) z = y + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 10 + z * 100;
}

extern "C" __global__ void same_name_as_the_kernel(int* out, int n) {
    int same_name_as_the_kernel = threadIdx.x;
    __syncthreads();
    same_name_as_the_kernel += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = same_name_as_the_kernel;
}
