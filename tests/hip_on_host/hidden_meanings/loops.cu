// Loops whose counters, bounds and strides differ from their appearance.

extern "C" __global__ void strided(int* out, int n) {
    int s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 1000; i += gridDim.x * blockDim.x) s += i;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void strided_with_a_change(int* out, int n) {
    int s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 2000; i += gridDim.x * blockDim.x) {
        s += i;
        if (i % 3 == 0) i += gridDim.x * blockDim.x;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void strided_with_a_hidden_change(int* out, int n) {
    int s = 0;
    for (int i = threadIdx.x; i < 700; i += blockDim.x) {
        int& r = i;
        s += i;
        if (s & 1) r += 64;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void strided_into_memory(int* out, int n) {
    int* const mine = out + blockIdx.x * 64;
    for (int i = threadIdx.x; i < 64 * n; i += blockDim.x) mine[i & 63] += i;
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) mine[i] ^= n;
}

extern "C" __global__ void two_counters(int* out, int n) {
    int s = 0;
    for (int i = 0, j = threadIdx.x; i < n && j > 3; ++i, j -= 2) s += i * j;
    __syncthreads();
    for (int i = 0, j = 7; i < j; ++i, --j) {
        __syncthreads();
        s += i + j * threadIdx.x;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void unsigned_counter(int* out, int n) {
    int s = 0;
    for (unsigned i = n; i-- > 0;) s += i * threadIdx.x;
    for (unsigned i = 3; i < 4; --i) s += i;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void unsigned_stride(int* out, int n) {
    int s = 0;
    for (unsigned i = threadIdx.x, k = 0; k < 5; i += 0xffffffffu - 15u, ++k) s += i % 97;
    for (unsigned i = 0x80000000u + threadIdx.x; i >= 0x80000000u; i += 0x20000000u) s++;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void narrow_counter(int* out, int n) {
    int s = 0;
    for (unsigned char i = 250; i > 5; ++i) s += i + threadIdx.x;
    for (signed char i = 0; i < 100; i += 30) s += i;
    for (short i = threadIdx.x; i < 70; i += 7) s++;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void floating_counter(int* out, int n) {
    int s = 0;
    for (float f = 0; f < 2.0f; f += 0.25f) s += (int)(f * threadIdx.x);
    for (float f = threadIdx.x; f > 1; f /= 2) s += 100;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void pointer_counter(int* out, int n) {
    int a[6] = {1, 2, 3, (int)threadIdx.x, 5, 6}, s = 0;
    for (int* p = a; p != a + 6; ++p) s += *p * (int)(p - a);
    for (const int *p = a, *e = a + 4; p < e; p += 2) s ^= *p;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void bound_that_changes(int* out, int n) {
    int s = 0, bound = n;
    int* b = &bound;
    for (int i = 0; i < bound; ++i) {
        s += i;
        if (i == (int)threadIdx.x % 5) *b += 3;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s * 100 + bound;
}

extern "C" __global__ void bound_that_all_change(int* out, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) {
        __syncthreads();
        s += i;
        if (i == 2) n += 2;
        int& m = n;
        if (i == 4) m -= 1;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s * 100 + n + threadIdx.x;
}

extern "C" __global__ void bound_in_memory(int* out, int n) {
    int g = blockIdx.x * 64 + threadIdx.x, s = 0;
    out[g] = n;
    for (int i = 0; i < out[g]; ++i) {
        s += i;
        if (i == 3) out[g] += threadIdx.x & 3;
    }
    __syncthreads();
    out[g] = s;
}

extern "C" __global__ void bound_of_each_thread(int* out, int n) {
    int s = 0;
    for (int i = 0, e = threadIdx.x % 9; i < e; ++i) s += i;
    for (int i = 0; i < min((int)threadIdx.x, n); ++i) s += 100;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void condition_with_effects(int* out, int n) {
    int s = 0, k = threadIdx.x & 7, m = 3;
    for (int i = 0; i < 9 && k-- > 0; ++i) s += i;
    while (m-- && ++s) __syncthreads();
    do __syncthreads(); while (n-- > 0 && ++s < 1000);
    out[blockIdx.x * 64 + threadIdx.x] = s * 10 + k + n;
}

extern "C" __global__ void everything_in_the_header(int* out, int n) {
    int s = 0, i = 0;
    for (; i < n; s += i++ * threadIdx.x)
        ;
    for (int k = 0; __syncthreads_or(k < (int)threadIdx.x % 4); s += k, ++k) {
    }
    for (;;)
        if (s++ % 5 == 0) break;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s * 10 + i;
}

extern "C" __global__ void nested_with_one_name(int* out, int n) {
    int s = 0;
    for (int i = 0; i < 3; ++i) {
        for (int i = threadIdx.x & 1; i < 4; ++i) s += i;
        for (int j = i; j < n; ++j) {
            __syncthreads();
            s += j;
        }
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void counter_used_behind(int* out, int n) {
    int i, j = 0;
    for (i = threadIdx.x; i < 50; i += 7) j++;
    __syncthreads();
    int k = i;
    for (i = 0; i < n; i++) __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = k * 1000 + i * 100 + j;
}

extern "C" __global__ void counter_captured(int* out, int n) {
    int s = 0;
    for (int i = 0; i < 12; ++i) {
        auto skip = [&](int by) { i += by; };
        s += i;
        if (threadIdx.x & 2) skip(1);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

__device__ void advance(int& i, int by) { i += by; }
extern "C" __global__ void counter_changed_by_a_function(int* out, int n) {
    int s = 0;
    for (int i = 0; i < 20; ++i) {
        s += i;
        advance(i, threadIdx.x & 3);
    }
    __syncthreads();
    for (int i = 0; i < 9; advance(i, 2)) {
        __syncthreads();
        s += i * threadIdx.x;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void starting_at_the_thread(int* out, int n) {
    __shared__ int s[64];
    for (int i = threadIdx.x; i < 64; i += 64) s[i] = i;
    __syncthreads();
    int v = 0;
    for (int i = threadIdx.x; i < 64; ++i) v += s[i];
    for (int i = threadIdx.x; i >= 0; i -= n) v ^= s[i];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void range_of_an_own_class(int* out, int n) {
    struct Iterator {
        int i, by;
        __device__ int operator*() const { return i; }
        __device__ Iterator& operator++() { i += by; return *this; }
        __device__ bool operator!=(const Iterator& o) const { return i < o.i; }
    };
    struct Range {
        int from, to, by;
        __device__ Iterator begin() const { return {from, by}; }
        __device__ Iterator end() const { return {to, by}; }
    };
    int s = 0;
    for (int i : Range{(int)threadIdx.x, 200, 64}) s += i;
    for (auto i : Range{0, n, 1}) {
        __syncthreads();
        s += i;
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void sums_in_several_ways(int* out, int n) {
    int a = 0, b = 1;
    float f = 0;
    unsigned h = 7;
    for (int i = 0; i < 40; ++i) {
        a = a + i * threadIdx.x;
        b = -b;
        f = i & 1 ? f + 0.5f : f;
        h = h * 31 + (i ^ threadIdx.x);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a + b + (int)(f * 2) + (int)(h & 0xffff);
}

extern "C" __global__ void carried_from_round_to_round(int* out, int n) {
    int last = threadIdx.x, before = 1, v[3] = {1, 2, 3};
    for (int i = 0; i < 20; ++i) {
        int next = (last * 3 + before) & 1023;
        before = last, last = next;
        v[i % 3] += v[(i + 1) % 3] & 255;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = last + before * 1000 + v[0] + v[1] + v[2];
}
