// Jumps in forms that are easily missed, and barriers around them.

extern "C" __global__ void likely_leave(int* out, int n) {
    int t = threadIdx.x;
    if (t > 40) [[unlikely]] return;
    __syncthreads();
    out[blockIdx.x * 64 + t] = t + n;
}

extern "C" __global__ void attribute_before_return(int* out, int n) {
    int t = threadIdx.x;
    if (t & 1) [[likely]] { out[blockIdx.x * 64 + t] = 1; return; }
    __syncwarp(0x55555555);
    out[blockIdx.x * 64 + t] = 2 + n;
}

extern "C" __global__ void attribute_before_break(int* out, int n) {
    int s = 0;
    for (int i = 0; i < 10; ++i) {
        if (i == n) [[unlikely]] break;
        __syncthreads();
        if (i & 1) [[likely]] continue;
        s += threadIdx.x + i;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void attribute_before_a_loop(int* out, int n) {
    int s = 0;
    [[maybe_unused]] int k = 0;
#pragma unroll 4
    for (int i = 0; i < n; ++i) s += threadIdx.x;
    _Pragma("unroll 1") while (k < 3) {
        __syncthreads();
        k++, s++;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void attribute_before_a_barrier(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (n > 3) [[likely]] __syncthreads();
    int v = s[63 - t];
    if (n > 4) [[likely]] { __syncthreads(); } else [[unlikely]] { v = 0; }
    s[t] = v;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[(t + 1) & 63];
}

extern "C" __global__ void goto_forward(int* out, int n) {
    int t = threadIdx.x;
    int x = 0;
    if (t > 30) goto done;
    x = t;
done:
    __syncthreads();
    out[blockIdx.x * 64 + t] = x;
}

extern "C" __global__ void goto_back(int* out, int n) {
    int t = threadIdx.x, k = 0, x = 0;
again:
    x += t;
    __syncthreads();
    if (++k < n) goto again;
    out[blockIdx.x * 64 + t] = x;
}

extern "C" __global__ void goto_of_each_thread(int* out, int n) {
    int t = threadIdx.x, k = 0;
more:
    if (k < t % 7) { ++k; goto more; }
    __syncthreads();
    out[blockIdx.x * 64 + t] = k + n;
}

extern "C" __global__ void goto_out_of_loops(int* out, int n) {
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            x += i * j;
            if (i * 8 + j == t) goto out_of_it;
        }
out_of_it:
    __syncthreads();
    x += n;
    __syncthreads();
    out[blockIdx.x * 64 + t] = x;
}

extern "C" __global__ void goto_over_a_barrier(int* out, int n) {
    int t = threadIdx.x;
    int x = t;
    if (n > 100) goto end;
    __syncthreads();
    x += 1;
end:
    out[blockIdx.x * 64 + t] = x;
}

extern "C" __global__ void switch_with_barriers(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, v = t;
    switch (n) {
        case 3: v = 1; break;
        case 5:
            s[t] = t;
            __syncthreads();
            v = s[63 - t];
        case 6:
            __syncthreads();
            s[t] = v * 2;
            [[fallthrough]];
        default:
            __syncthreads();
            v += s[(t + 1) & 63];
    }
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void switch_of_each_thread(int* out, int n) {
    int t = threadIdx.x, v = 0;
    switch (int k = t % 5; k) {
        case 0: v += 1;
        case 1: v += 10; break;
        case 2: { int v = 5; (void)v; }
        case 3: v += 100;
        default: v += k;
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + n;
}

extern "C" __global__ void switch_into_a_loop(int* out, int n) {
    int t = threadIdx.x, count = t % 9, v = 0;
    switch (count & 3) {
        case 0:
            while (count >= 4) {
                v += 1;
                case 3: v += 10;
                case 2: v += 100;
                case 1: v += 1000;
                count -= 4;
            }
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void continue_in_a_switch(int* out, int n) {
    int s = 0;
    for (int i = 0; i < 6; ++i) {
        switch (i) {
            case 1: continue;
            case 4: break;
            default: s += threadIdx.x;
        }
        __syncthreads();
        s += i;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void once_only_loop(int* out, int n) {
    int x = threadIdx.x;
    do {
        if (x > 20) break;
        x += 100;
    } while (0);
    do {
        __syncthreads();
        if (n > 3) break;
        x = 0;
    } while (false);
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void leaving_by_number(int* out, int n) {
    int g = blockIdx.x * 64 + threadIdx.x;
    if (g >= 150) return;
    int x = g * 2;
    if (threadIdx.x == 3) return;
    __syncthreads();
    out[g] = x + n;
}

extern "C" __global__ void whole_block_leaves(int* out, int n) {
    if (blockIdx.x == 1) return;
    __syncthreads();
    for (int i = 0;; ++i) {
        __syncthreads();
        if (i == n) return;
        out[blockIdx.x * 64 + threadIdx.x] += i;
    }
}

extern "C" __global__ void return_of_a_value(int* out, int n) {
    if (threadIdx.x & 1) return void(out[blockIdx.x * 64 + threadIdx.x] = 9);
    __syncwarp(0x55555555);
    return (void)(out[blockIdx.x * 64 + threadIdx.x] = n);
}

__device__ void set(int* p, int v) { *p = v; }
extern "C" __global__ void return_of_a_call(int* out, int n) {
    __syncthreads();
    if (threadIdx.x > 9) return set(out + blockIdx.x * 64 + threadIdx.x, n);
    return set(out + blockIdx.x * 64 + threadIdx.x, (int)threadIdx.x);
}

extern "C" __global__ void else_without_braces(int* out, int n) {
    int x = threadIdx.x;
    if (n > 3)
        if (x & 1) x += 10;
        else x += 20;
    __syncthreads();
    if (n > 10) x = 0;
    else if (n > 4) for (int i = 0; i < 2; ++i) { __syncthreads(); x += i; }
    else x = 1;
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void empty_statements(int* out, int n) {
    ;
    int x = threadIdx.x;;
    for (int i = 0; i < n; ++i, x += 2);
    if (x > 5); else x = 5;
    while (++x % 4);
    {}
    __syncthreads();;
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void labels_without_jumps(int* out, int n) {
    int x = threadIdx.x;
start: __attribute__((unused));
    __syncthreads();
    x += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void while_with_a_declaration(int* out, int n) {
    int k = 4, s = 0;
    while (int left = k--) {
        __syncthreads();
        s += left * threadIdx.x;
    }
    if (int v = (int)threadIdx.x - 10) s += v;
    else s = -v;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void leaving_inside_a_lambda(int* out, int n) {
    int x = 0;
    auto part = [&](int v) {
        if (v & 1) return;
        x = v;
    };
    part(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + n;
}

__device__ int early(int v) {
    if (v < 10) return 1;
    for (int i = 0; i < 5; ++i)
        if (v == 20 + i) return i + 2;
    return 9;
}
extern "C" __global__ void leaving_inside_a_function(int* out, int n) {
    int x = early(threadIdx.x);
    __syncthreads();
    x += early(n + 15);
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void taken_until_none_is_left(int* out, int n) {
    __shared__ int item, next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    int sum = 0;
    while (true) {
        if (threadIdx.x == 0) item = atomicAdd(&next, 1);
        __syncthreads();
        const int mine = item;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = sum;
        if (mine >= n) return;
        sum += (mine + 1) * threadIdx.x;
    }
}

extern "C" __global__ void left_by_some_in_turn(int* out, int n) {
    __shared__ int round;
    int sum = 0;
    for (;;) {
        if (threadIdx.x == 63) round = sum;
        __syncthreads();
        sum += round + 1;
        __syncthreads();
        if (sum > n * 100) break;
        if (__syncthreads_or(sum > 10000)) { sum = -1; break; }
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
