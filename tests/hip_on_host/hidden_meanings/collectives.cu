// Warp and block operations inside larger expressions.

#define ALL 0xffffffffu

extern "C" __global__ void chained_by_commas(int* out, int n) {
    int v = threadIdx.x;
    v += __shfl_xor_sync(~0u, v, 16), v += __shfl_xor_sync(~0u, v, 8), v += __shfl_xor_sync(~0u, v, 4),
        v += __shfl_xor_sync(~0u, v, 2), v += __shfl_xor_sync(~0u, v, 1);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void chained_in_a_loop_header(int* out, int n) {
    int v = threadIdx.x;
    for (int d = 1; d < 32; v += __shfl_xor_sync(~0u, v, d), d *= 2) {
    }
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void assigned_twice(int* out, int n) {
    int v = threadIdx.x, w;
    w = v = __shfl_down_sync(ALL, v, 1) + 1;
    v = (w = __shfl_up_sync(ALL, v, 2)) + v;
    out[blockIdx.x * 64 + threadIdx.x] = v * 100 + w;
}

extern "C" __global__ void mask_of_a_ballot(int* out, int n) {
    int lane = threadIdx.x & 31, v = lane;
    unsigned m = __ballot_sync(ALL, lane < 20);
    if (lane < 20) v = __shfl_sync(m, v * 3, 19 - lane);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void mask_in_the_call(int* out, int n) {
    int v = threadIdx.x * 2;
    v = __shfl_sync(__activemask() | ALL, v, 3);
    v += __shfl_sync(__ballot_sync(ALL, n > 0), (int)threadIdx.x, 7);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void one_in_the_other(int* out, int n) {
    int t = threadIdx.x;
    int v = __shfl_sync(ALL, __shfl_xor_sync(ALL, t, 5), __shfl_xor_sync(ALL, t & 31, 1));
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void in_a_shuffle_distance(int* out, int n) {
    int t = threadIdx.x, d = 1;
    int v = __shfl_xor_sync(ALL, t, d += 2);
    v += __shfl_sync(ALL, v, __popc(__ballot_sync(ALL, t & 4)));
    out[blockIdx.x * 64 + t] = v * 10 + d;
}

extern "C" __global__ void changed_in_the_argument(int* out, int n) {
    int v = threadIdx.x;
    int w = __shfl_xor_sync(ALL, v += 3, 1);
    w += __shfl_down_sync(ALL, v++, 2);
    w -= __shfl_up_sync(ALL, --v, 1);
    out[blockIdx.x * 64 + threadIdx.x] = v * 1000 + w;
}

extern "C" __global__ void in_a_condition(int* out, int n) {
    int v = threadIdx.x;
    if (__shfl_xor_sync(ALL, v, 1) > 20) v += 100;
    while (__any_sync(ALL, v % 7)) v += v % 7 != 0;
    for (; __all_sync(ALL, v < 300); v += 50) {
    }
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_a_do_condition(int* out, int n) {
    int v = threadIdx.x, k = 0;
    do v += ++k; while (__ballot_sync(ALL, v < 60));
    do { k++; } while (__syncthreads_or(k < (int)threadIdx.x / 8));
    out[blockIdx.x * 64 + threadIdx.x] = v * 100 + k;
}

extern "C" __global__ void in_a_switch(int* out, int n) {
    int v = threadIdx.x;
    switch (__popc(__ballot_sync(ALL, v % 3 == 0)) & 3) {
        case 2: v += 7; break;
        case 3: v += 9;
        default: v += 1;
    }
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void behind_a_logical_operator(int* out, int n) {
    int t = threadIdx.x;
    int a = n > 3 && __any_sync(ALL, t == 40);
    int b = n > 9 || __all_sync(ALL, t < 32);
    bool c = t < 32 && __any_sync(ALL, t == 5);
    bool d = t < 32 || __shfl_sync(ALL, t, 2) > 30;
    out[blockIdx.x * 64 + t] = a + b * 10 + c * 100 + d * 1000;
}

extern "C" __global__ void in_a_conditional(int* out, int n) {
    int t = threadIdx.x;
    int v = n > 3 ? __shfl_xor_sync(ALL, t, 1) : t;
    v += t < 32 ? __shfl_down_sync(ALL, t, 1) : __shfl_up_sync(ALL, t * 2, 1);
    v += n > 9 ? 1 : n > 4 ? __shfl_sync(ALL, v, 3) : __shfl_sync(ALL, v, 4);
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void as_a_condition(int* out, int n) {
    int t = threadIdx.x;
    int v = __any_sync(ALL, t == 7) ? t : -t;
    v += __shfl_sync(ALL, t, 0) ? 100 : 200;
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void in_an_array_initialiser(int* out, int n) {
    int t = threadIdx.x;
    int a[4] = {__shfl_xor_sync(ALL, t, 1), __shfl_xor_sync(ALL, t, 2), t, (int)__ballot_sync(ALL, t & 1) & 15};
    out[blockIdx.x * 64 + t] = a[0] + a[1] * 100 + a[2] * 10000 + a[3];
}

extern "C" __global__ void in_braces(int* out, int n) {
    struct { int a, b; } p{__shfl_down_sync(ALL, (int)threadIdx.x, 1), __shfl_up_sync(ALL, (int)threadIdx.x, 1)};
    int2 q = {__shfl_xor_sync(ALL, p.a, 1), n};
    int w{__shfl_xor_sync(ALL, p.b, 2)}, x(__shfl_xor_sync(ALL, w, 4));
    out[blockIdx.x * 64 + threadIdx.x] = p.a + p.b * 100 + q.x * 10 + w + x;
}

extern "C" __global__ void in_an_index(int* out, int n) {
    int t = threadIdx.x, a[4] = {1, 10, 100, 1000};
    a[__shfl_xor_sync(ALL, t, 1) & 3] += t;
    a[t & 3] += a[__shfl_xor_sync(ALL, t, 2) & 3];
    out[blockIdx.x * 64 + t] = a[0] + a[1] + a[2] * 3 + a[3] * 5;
}

__device__ int warp_sum(int v) {
    return v += __shfl_xor_sync(ALL, v, 16), v += __shfl_xor_sync(ALL, v, 8), v += __shfl_xor_sync(ALL, v, 4),
           v += __shfl_xor_sync(ALL, v, 2), v + __shfl_xor_sync(ALL, v, 1);
}
__device__ int neighbour(int v) { return __shfl_xor_sync(ALL, v, 1); }
__device__ bool any_of(bool v) { return __any_sync(ALL, v); }
__device__ void into(int& v) { v = __shfl_sync(ALL, v, 9); }
__device__ int weighted(int a, int b = 2) { return a * b; }

extern "C" __global__ void in_a_returned_value(int* out, int n) {
    int t = threadIdx.x;
    int s = warp_sum(t), x = neighbour(t) + neighbour(neighbour(t) + 3);
    out[blockIdx.x * 64 + t] = s * 100 + x;
}

extern "C" __global__ void in_arguments(int* out, int n) {
    int t = threadIdx.x;
    int v = weighted(__shfl_xor_sync(ALL, t, 3)), w = max(neighbour(t), 20), x = weighted(t, neighbour(t) + 1);
    into(v);
    out[blockIdx.x * 64 + t] = v + w * 100 + x * 10000;
}

extern "C" __global__ void by_a_function_in_conditions(int* out, int n) {
    int t = threadIdx.x, k = 0;
    while (any_of(k < t % 5)) ++k;
    if (!any_of(t == 99) && any_of(t % 32 == 4)) k += 100;
    out[blockIdx.x * 64 + t] = k;
}

extern "C" __global__ void counted_in_expressions(int* out, int n) {
    int t = threadIdx.x;
    int v = __syncthreads_count(t > n) + 100 * __syncthreads_or(t == 63) + 1000 * !__syncthreads_and(t);
    if (__syncthreads_count(t & 1) == 32) v += 5;
    out[blockIdx.x * 64 + t] = v + (__syncthreads_and(t < 64) ? 7 : 8);
}

extern "C" __global__ void barrier_in_a_comma(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t, __syncthreads();
    int v = (__syncthreads(), s[63 - t]);
    __syncthreads(), s[t] = v + 1, __syncthreads(), v = s[(t + 1) & 63];
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void barrier_in_a_conditional(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t * 3;
    n > 3 ? __syncthreads() : (void)0;
    int v = s[63 - t];
    n > 2 && (__syncthreads(), true);
    s[t] = v;
    (__syncthreads());
    (void)__syncthreads();
    out[blockIdx.x * 64 + t] = s[t ^ 1];
}

extern "C" __global__ void barrier_in_a_loop_header(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    for (int d = 1; __syncthreads(), d < 64; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
    }
    for (int k = 0; k < 2; ++k, __syncthreads()) s[t] += s[t] & k;
    out[blockIdx.x * 64 + t] = s[63 - t] + n;
}

extern "C" __global__ void negated_and_cast(int* out, int n) {
    int t = threadIdx.x;
    int v = -__shfl_xor_sync(ALL, t, 1) + (char)__shfl_xor_sync(ALL, t * 5, 2) + !__any_sync(ALL, t == 3);
    unsigned u = ~__ballot_sync(ALL, t & 1) >> 28;
    out[blockIdx.x * 64 + t] = v * 10 + u;
}

extern "C" __global__ void types_of_shuffles(int* out, int n) {
    int t = threadIdx.x;
    double d = __shfl_xor_sync(ALL, t * 0.5, 1);
    unsigned long long u = __shfl_down_sync(ALL, (unsigned long long)t << 40, 1) >> 40;
    float f = __shfl_up_sync(ALL, (float)t, 1, 8);
    out[blockIdx.x * 64 + t] = (int)(d * 2) + (int)u * 100 + (int)f * 10000;
}

extern "C" __global__ void in_nested_conditionals(int* out, int n) {
    int t = threadIdx.x, v = t;
    v = t < 32 ? n > 3 ? __shfl_xor_sync(ALL, v, 4) : 0 : n < 3 ? 0 : __shfl_xor_sync(ALL, v, 8) + 1;
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void of_some_lanes(int* out, int n) {
    int t = threadIdx.x, lane = t & 31, v = t;
    if (lane < 8) v += __shfl_down_sync(0xffu, v, 4, 8);
    else if (lane < 16) v += __reduce_add_sync(0xff00u, v);
    if (lane & 1) v += __popc(__ballot_sync(0xaaaaaaaau, v > 20)) * 1000;
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void matches(int* out, int n) {
    int t = threadIdx.x, all = 0;
    unsigned same = __match_any_sync(ALL, t / 5), every = __match_all_sync(ALL, n, &all);
    out[blockIdx.x * 64 + t] = __popc(same) + __popc(every) * 100 + all * 10000;
}

extern "C" __global__ void into_members(int* out, int n) {
    struct { int v; int a[2]; } s = {(int)threadIdx.x, {1, 2}};
    s.v = __shfl_xor_sync(ALL, s.v, 1);
    s.a[1] += __shfl_xor_sync(ALL, s.v, 2);
    (s.a)[0] = __shfl_xor_sync(ALL, s.a[1], 4);
    *s.a += 3;
    out[blockIdx.x * 64 + threadIdx.x] = s.v + s.a[0] * 100 + s.a[1] * 10000;
}

extern "C" __global__ void through_a_reference(int* out, int n) {
    int v = threadIdx.x;
    int &r = v, *p = &v;
    r += __shfl_xor_sync(ALL, *p, 1), *p += __shfl_xor_sync(ALL, r, 2);
    (r) = __shfl_xor_sync(ALL, v, 4);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_a_lambda(int* out, int n) {
    int v = threadIdx.x;
    auto step = [&](int d) { v += __shfl_xor_sync(ALL, v, d); return v; };
    int w = step(1);
    w += 0 * step(2);
    step(4), step(8);
    out[blockIdx.x * 64 + threadIdx.x] = v * 100 + w;
}

extern "C" __global__ void in_a_declaration_of_several(int* out, int n) {
    int v = threadIdx.x, a = __shfl_xor_sync(ALL, v, 1), b = __shfl_xor_sync(ALL, a, 2), c = a + b;
    out[blockIdx.x * 64 + threadIdx.x] = a + b * 100 + c * 10000;
}

extern "C" __global__ void between_changes_of_memory(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    s[t] = s[t] + __shfl_xor_sync(ALL, s[t], 1) * 2;
    __syncwarp();
    s[t] += __shfl_down_sync(ALL, s[t], 1) + __shfl_up_sync(ALL, s[t], 1);
    out[blockIdx.x * 64 + t] = s[t];
}
