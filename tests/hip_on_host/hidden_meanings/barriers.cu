// Barriers and warp operations inside constructors, destructors, operators, lambdas, methods, pointers, templates.

#define ALL 0xffffffffu

struct Meeting {
    __device__ Meeting() { __syncthreads(); }
};
struct Parting {
    int* at;
    __device__ explicit Parting(int* p) : at(p) {}
    __device__ ~Parting() { __syncthreads(); }
};
struct Both {
    __device__ Both() { __syncthreads(); }
    __device__ ~Both() { __syncthreads(); }
};
struct Exchange {
    int* s;
    int t, v;
    __device__ Exchange(int* s, int t, int given) : s(s), t(t), v(given) {
        s[t] = v;
        __syncthreads();
        v = s[63 - t];
        __syncthreads();
    }
    __device__ int operator()(int by) {
        s[t] = v;
        __syncthreads();
        int got = s[(t + by) & 63];
        __syncthreads();
        return got;
    }
    __device__ Exchange& operator<<(int more) {
        v += more;
        s[t] = v;
        __syncthreads();
        v += s[t ^ 1];
        __syncthreads();
        return *this;
    }
    __device__ int operator[](int i) {
        s[t] = v;
        __syncthreads();
        int got = s[i & 63];
        __syncthreads();
        return got;
    }
    __device__ operator int() { return (*this)[t + 2]; }
    __device__ void turn(int by = 1) { v = (*this)(by); }
    __device__ static void meet() { __syncthreads(); }
    __device__ static int lanes(int v) { return __shfl_xor_sync(ALL, v, 1); }
};
struct Warp {
    int v;
    __device__ Warp& operator^=(int d) { v += __shfl_xor_sync(ALL, v, d); return *this; }
    __device__ Warp operator~() const { return Warp{__shfl_xor_sync(ALL, v, 31)}; }
    __device__ explicit operator bool() const { return __any_sync(ALL, v > 60); }
    __device__ bool operator<(int b) const { return __all_sync(ALL, v < b); }
    __device__ Warp& operator++() { v = __shfl_down_sync(ALL, v, 1) + 1; return *this; }
};

extern "C" __global__ void in_a_constructor(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    Meeting m;
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

extern "C" __global__ void in_a_temporary(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    Meeting();
    int v = s[63 - threadIdx.x];
    Meeting{};
    s[threadIdx.x] = v * 2;
    (void)Meeting();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}

extern "C" __global__ void in_a_destructor(int* out, int n) {
    __shared__ int s[64];
    {
        Parting p(s);
        s[threadIdx.x] = threadIdx.x;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

extern "C" __global__ void in_both(int* out, int n) {
    __shared__ int s[64];
    int v = threadIdx.x;
    for (int i = 0; i < n; ++i) {
        Both b;
        s[threadIdx.x] = v;
        Both c;
        v = s[(threadIdx.x + i) & 63] + 1;
    }
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_a_constructor_with_values(int* out, int n) {
    __shared__ int s[64];
    Exchange e(s, threadIdx.x, threadIdx.x * 2);
    Exchange f{s, (int)threadIdx.x, e.v + 1};
    out[blockIdx.x * 64 + threadIdx.x] = e.v * 100 + f.v;
}

extern "C" __global__ void in_a_call_operator(int* out, int n) {
    __shared__ int s[64];
    Exchange e(s, threadIdx.x, threadIdx.x);
    int v = e(1);
    for (int i = 0; i < n; ++i) v += e(i) * i;
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_a_stream_operator(int* out, int n) {
    __shared__ int s[64];
    Exchange e(s, threadIdx.x, threadIdx.x);
    e << 3 << n;
    out[blockIdx.x * 64 + threadIdx.x] = e.v;
}

extern "C" __global__ void in_an_index_operator(int* out, int n) {
    __shared__ int s[64];
    Exchange e(s, threadIdx.x, threadIdx.x);
    int v = e[threadIdx.x + 7];
    v += e[v];
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_a_conversion(int* out, int n) {
    __shared__ int s[64];
    Exchange e(s, threadIdx.x, threadIdx.x);
    int v = e;
    v += (int)e * 100;
    out[blockIdx.x * 64 + threadIdx.x] = v + static_cast<int>(e);
}

extern "C" __global__ void in_a_method(int* out, int n) {
    __shared__ int s[64];
    Exchange e(s, threadIdx.x, threadIdx.x);
    e.turn();
    e.turn(n);
    Exchange* p = &e;
    p->turn(3);
    out[blockIdx.x * 64 + threadIdx.x] = e.v;
}

extern "C" __global__ void in_a_static_method(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    Exchange::meet();
    int v = s[63 - threadIdx.x];
    v += Exchange::lanes(v);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_warp_operators(int* out, int n) {
    Warp w{(int)threadIdx.x};
    w ^= 1;
    w ^= 2;
    Warp x = ~w;
    ++x;
    out[blockIdx.x * 64 + threadIdx.x] = w.v * 1000 + x.v;
}

extern "C" __global__ void in_conversions_of_conditions(int* out, int n) {
    Warp w{(int)threadIdx.x};
    int v = 0;
    if (w) v = 1;
    if (!w) v += 2;
    while (w < 100) w.v += 40;
    v += w ? 10 : 20;
    out[blockIdx.x * 64 + threadIdx.x] = v + w.v * 100;
}

extern "C" __global__ void in_a_lambda(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    auto exchange = [&](int v, int by) {
        s[t] = v;
        __syncthreads();
        int got = s[(t + by) & 63];
        __syncthreads();
        return got;
    };
    int v = exchange(t, 1);
    v = exchange(v * 2, n);
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void in_a_lambda_without_captures(int* out, int n) {
    __shared__ int s[64];
    auto meet = [] { __syncthreads(); };
    s[threadIdx.x] = threadIdx.x;
    meet();
    int v = s[63 - threadIdx.x];
    meet();
    s[threadIdx.x] = v + 1;
    meet();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}

extern "C" __global__ void in_a_generic_lambda(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    auto exchange = [&](auto v) {
        s[t] = (int)v;
        __syncthreads();
        auto got = s[63 - t];
        __syncthreads();
        return got;
    };
    out[blockIdx.x * 64 + t] = exchange(t * 1.5f) + exchange(t) * 100 + exchange((char)t) * 10000;
}

extern "C" __global__ void in_a_lambda_called_at_once(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int v = [&] { s[t] = t; __syncthreads(); return s[63 - t]; }();
    [] { __syncthreads(); }();
    out[blockIdx.x * 64 + t] = v + s[t];
}

__device__ void meet() { __syncthreads(); }
__device__ void meet_twice() { meet(), meet(); }
__device__ int shifted(int v) { return __shfl_down_sync(ALL, v, 1); }
__device__ int turned(int v) { return __shfl_xor_sync(ALL, v, 31); }

extern "C" __global__ void by_a_function_pointer(int* out, int n) {
    __shared__ int s[64];
    void (*wait)() = meet;
    s[threadIdx.x] = threadIdx.x;
    wait();
    int v = s[63 - threadIdx.x];
    (*wait)();
    s[threadIdx.x] = v * 3;
    wait = n > 3 ? meet_twice : meet;
    wait();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}

extern "C" __global__ void by_a_pointer_to_a_built_in_wrapper(int* out, int n) {
    int (*steps[2])(int) = {shifted, turned};
    int v = threadIdx.x;
    for (int i = 0; i < 4; ++i) v = steps[i & 1](v) + 1;
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

struct Barrier { __device__ void operator()() const { __syncthreads(); } };
struct Nothing { __device__ void operator()() const {} };
template <class Wait> __device__ int exchanged(int* s, int t, int v, Wait wait) {
    s[t] = v;
    wait();
    int got = s[63 - t];
    wait();
    return got;
}
template <class Wait> __device__ int exchanged_by_type(int* s, int t, int v) {
    s[t] = v;
    Wait()();
    int got = s[t ^ 3];
    Wait{}();
    return got;
}
template <void (*wait)()> __device__ int exchanged_by_pointer(int* s, int t, int v) {
    s[t] = v;
    wait();
    int got = s[t ^ 5];
    wait();
    return got;
}

extern "C" __global__ void by_a_template_argument(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int v = exchanged(s, t, t, Barrier());
    v = exchanged_by_type<Barrier>(s, t, v);
    v = exchanged_by_pointer<meet>(s, t, v + 1);
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void by_a_lambda_argument(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int v = exchanged(s, t, t, [] { __syncthreads(); });
    v = exchanged(s, t, v + t, meet);
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void without_a_barrier_by_type(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    s[63 - threadIdx.x] = 0;
    __syncthreads();
    Nothing()();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + threadIdx.x;
}

struct Base {
    __device__ Base() { __syncthreads(); }
    __device__ void wait() { __syncthreads(); }
};
struct Derived : Base {
    int v;
    __device__ Derived(int* s, int t) : v(s[63 - t]) {}
    __device__ Derived(int* s) : Derived(s, threadIdx.x) { v += 1; }
};

extern "C" __global__ void in_a_base(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    Derived d(s);
    d.wait();
    s[threadIdx.x] = d.v;
    d.Base::wait();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}

struct Member {
    Meeting first;
    int v;
};
extern "C" __global__ void in_a_member(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    Member m{Meeting(), s[63 - threadIdx.x]};
    Member k[2];
    k[0].v = m.v;
    out[blockIdx.x * 64 + threadIdx.x] = k[0].v;
}

struct Default {
    int v = __shfl_xor_sync(ALL, (int)threadIdx.x, 1);
};
__device__ int with_a_default(int a, int b = __shfl_xor_sync(ALL, (int)threadIdx.x, 2)) { return a + b * 100; }

extern "C" __global__ void in_default_values(int* out, int n) {
    Default d;
    out[blockIdx.x * 64 + threadIdx.x] = with_a_default(d.v);
}

__device__ void rounds(int* s, int t, int depth) {
    if (depth == 0) return;
    int v = s[(t + depth) & 63];
    __syncthreads();
    s[t] += v;
    __syncthreads();
    rounds(s, t, depth - 1);
}
extern "C" __global__ void in_a_recursion(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    rounds(s, threadIdx.x, n);
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

template <int N> __device__ int halves(int v) {
    if constexpr (N > 0) {
        v += __shfl_xor_sync(ALL, v, N);
        return halves<N / 2>(v);
    } else {
        return v;
    }
}
extern "C" __global__ void in_a_recursive_template(int* out, int n) {
    out[blockIdx.x * 64 + threadIdx.x] = halves<16>(threadIdx.x);
}

template <class... Values> __device__ int all_of_them(Values... values) {
    return (__shfl_xor_sync(ALL, values, 1) + ...);
}
template <class... Waits> __device__ void all_wait(Waits... waits) { (waits(), ...); }

extern "C" __global__ void in_a_fold(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = all_of_them(t, t * 2, n);
    all_wait(Barrier(), Nothing(), Barrier());
    out[blockIdx.x * 64 + t] = s[63 - t];
}

namespace own {
__device__ void __syncthreads_own() { __syncthreads(); }
namespace deep {
__device__ inline int across(int v) { return __shfl_xor_sync(ALL, v, 7); }
}
}  // namespace own
namespace alias = own::deep;
extern "C" __global__ void in_a_namespace(int* out, int n) {
    __shared__ int s[64];
    using own::deep::across;
    s[threadIdx.x] = across(threadIdx.x) + alias::across(n);
    own::__syncthreads_own();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

extern "C" __global__ void in_a_local_class(int* out, int n) {
    __shared__ int s[64];
    struct Local {
        int* s;
        __device__ int swap(int v) {
            s[threadIdx.x] = v;
            __syncthreads();
            int got = s[63 - threadIdx.x];
            __syncthreads();
            return got;
        }
        __device__ ~Local() { __syncthreads(); }
    } local{s};
    int v = local.swap(threadIdx.x);
    out[blockIdx.x * 64 + threadIdx.x] = local.swap(v + n);
}

extern "C" __global__ void by_the_global_name(int* out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    ::__syncthreads();
    (__syncthreads)();
    int v = ::__shfl_xor_sync(ALL, s[63 - threadIdx.x], 1);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void by_a_condition_of_objects(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (Exchange e(s, t, t); e.v > 30) t += e.v;
    for (Exchange e(s, threadIdx.x, t); e.v > 1000;) e.v = 0;
    out[blockIdx.x * 64 + threadIdx.x] = t + (Exchange(s, threadIdx.x, 5).v) + Exchange(s, threadIdx.x, t)(2);
}
