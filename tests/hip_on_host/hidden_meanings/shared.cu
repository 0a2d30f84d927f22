// Shared memory: of device functions, wide accesses, other types, odd declarations.

__device__ int exchange(int t, int v) {
    __shared__ int s[64];
    s[t] = v;
    __syncthreads();
    int got = s[63 - t];
    __syncthreads();
    return got;
}
__device__ int* buffer() {
    __shared__ int s[64];
    return s;
}
__device__ int* other_buffer() {
    static __shared__ int s[64];
    return s;
}
template <class T> __device__ T exchange_of(int t, T v) {
    __shared__ T s[64];
    s[t] = v;
    __syncthreads();
    T got = s[t ^ 1];
    __syncthreads();
    return got;
}
struct Tile {
    int v[64];
    __device__ int& operator[](int i) { return v[i]; }
};
__device__ int count_of(bool c) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (c) atomicAdd(&total, 1);
    __syncthreads();
    int found = total;
    __syncthreads();
    return found;
}

extern "C" __global__ void of_a_function(int* out, int n) {
    int t = threadIdx.x;
    int v = exchange(t, t);
    v = exchange(t, v * 2 + t);
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void of_a_function_called_from_two_places(int* out, int n) {
    int t = threadIdx.x, v = t;
    for (int i = 0; i < n; ++i) v = exchange(t, v + i);
    v += count_of(v & 1) * 100;
    out[blockIdx.x * 64 + t] = v + count_of(t > n) * 10000;
}

extern "C" __global__ void returned_by_a_function(int* out, int n) {
    int t = threadIdx.x;
    int *s = buffer(), *r = other_buffer();
    s[t] = t, r[t] = t * 2;
    __syncthreads();
    out[blockIdx.x * 64 + t] = buffer()[63 - t] * 1000 + r[t ^ 1] + (s != r);
}

extern "C" __global__ void of_a_template(int* out, int n) {
    int t = threadIdx.x;
    int v = exchange_of<int>(t, t) + (int)exchange_of(t, t * 0.5f) * 100 + exchange_of(t, (char)(t * 5));
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void of_a_lambda(int* out, int n) {
    int t = threadIdx.x;
    auto swap = [](int t, int v) {
        __shared__ int s[64];
        s[t] = v;
        __syncthreads();
        return s[63 - t];
    };
    out[blockIdx.x * 64 + t] = swap(t, t * 3);
}

extern "C" __global__ void in_an_inner_block(int* out, int n) {
    int t = threadIdx.x, v = t;
    for (int i = 0; i < 3; ++i) {
        __shared__ int s[64];
        s[t] = v;
        __syncthreads();
        v = s[(t + 5) & 63] + i;
        __syncthreads();
    }
    {
        __shared__ int s[64];
        s[t] = v + 1;
        __syncthreads();
        v = s[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void wide_store(int* out, int n) {
    __shared__ __align__(16) float s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 16) ((float4*)s)[t] = make_float4(t, t + 1, t + 2, t + 3);
    __syncthreads();
    out[blockIdx.x * 64 + t] = (int)s[63 - t];
}

extern "C" __global__ void wide_store_of_integers(int* out, int n) {
    __shared__ __align__(16) float s[64];
    int t = threadIdx.x;
    s[t] = 1.0f;
    __syncthreads();
    if (t < 16) ((uint4*)s)[t] = make_uint4(0x40000000u, 0x40400000u, 0x40800000u, 0x3f800000u + ((unsigned)t << 16));
    __syncthreads();
    float v = s[63 - t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = (int)(v * 100);
}

extern "C" __global__ void wide_store_by_the_same_thread(int* out, int n) {
    __shared__ __align__(16) float s[256];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) s[t * 4 + k] = 9.0f;
    ((uint4*)s)[t] = make_uint4(0x3f800000u, 0x40000000u, 0x40400000u, 0x40800000u);
    float sum = s[t * 4] + s[t * 4 + 1] * 10 + s[t * 4 + 2] * 100 + s[t * 4 + 3] * 1000;
    __syncthreads();
    out[blockIdx.x * 64 + t] = (int)sum + (int)s[(t * 4 + 6) & 255];
}

extern "C" __global__ void wide_load(int* out, int n) {
    __shared__ __align__(16) int s[64];
    int t = threadIdx.x;
    s[t] = t * t;
    __syncthreads();
    int4 v = *(int4*)&s[(t & 15) * 4];
    long long w = *reinterpret_cast<long long*>(s + (t & 31) * 2);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v.x + v.y + v.z + v.w + (int)(w >> 32);
}

extern "C" __global__ void narrow_access(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0x01010101 * t;
    __syncthreads();
    unsigned char* bytes = (unsigned char*)s;
    short* halves = (short*)s;
    int v = bytes[t * 4 + 1] + halves[127 - t * 2];
    __syncthreads();
    bytes[t] = (unsigned char)(t + 1);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + s[t & 15];
}

extern "C" __global__ void other_types_of_one_memory(int* out, int n) {
    extern __shared__ char raw[];
    float* f = (float*)raw;
    int* i = (int*)(raw + 256);
    int t = threadIdx.x;
    f[t] = t * 0.5f;
    i[t] = t;
    __syncthreads();
    int v = (int)(f[63 - t] * 2) + i[t ^ 1] * 100;
    __syncthreads();
    int* again = (int*)raw;
    again[t] = v;
    __syncthreads();
    out[blockIdx.x * 64 + t] = again[(t + 1) & 63];
}

extern "C" __global__ void copied_by_bytes(int* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x, v = 0x3f800000 + (t << 18);
    memcpy(&s[t], &v, 4);
    __syncthreads();
    float f = s[63 - t];
    memcpy(&v, &s[t ^ 1], sizeof v);
    __syncthreads();
    memset(&s[t], 0, 4);
    __syncthreads();
    out[blockIdx.x * 64 + t] = (int)(f * 1000) + (v >> 18) + (int)s[t];
}

extern "C" __global__ void union_in_shared_memory(int* out, int n) {
    __shared__ union { float f[64]; int i[64]; } u;
    int t = threadIdx.x;
    u.f[t] = 1.0f + t;
    __syncthreads();
    int v = u.i[63 - t] >> 20;
    __syncthreads();
    u.i[t] = v;
    __syncthreads();
    out[blockIdx.x * 64 + t] = u.i[t ^ 1];
}

extern "C" __global__ void struct_in_shared_memory(int* out, int n) {
    struct Row { int key; float value; };
    __shared__ Row rows[64];
    __shared__ struct { int a, b[3]; } one;
    int t = threadIdx.x;
    rows[t] = {t, t * 0.5f};
    if (t == 5) one.a = n, one.b[2] = t;
    __syncthreads();
    Row r = rows[63 - t];
    Row& q = rows[t];
    q.key += r.key * 0;
    out[blockIdx.x * 64 + t] = r.key + (int)(r.value * 2) * 100 + one.a + one.b[2];
}

extern "C" __global__ void object_in_shared_memory(int* out, int n) {
    __shared__ Tile tile;
    int t = threadIdx.x;
    tile[t] = t;
    __syncthreads();
    int v = tile[63 - t];
    Tile& again = tile;
    __syncthreads();
    again[t] = v + n;
    __syncthreads();
    out[blockIdx.x * 64 + t] = tile.v[t ^ 1];
}

extern "C" __global__ void several_in_one_declaration(int* out, int n) {
    __shared__ int a[64], b, c[4][16], *p;
    int t = threadIdx.x;
    a[t] = t;
    c[t & 3][t >> 2] = t * 2;
    if (t == 0) b = n, p = a;
    __syncthreads();
    out[blockIdx.x * 64 + t] = a[63 - t] + b * 100 + c[t >> 4][t & 15] * 1000 + p[1];
}

extern "C" __global__ void order_of_words(int* out, int n) {
    static __shared__ int a[64];
    int __shared__ b[64];
    volatile __shared__ int c[64];
    __shared__ volatile int d;
    int t = threadIdx.x;
    a[t] = t, b[63 - t] = t, c[t] = t * 2;
    if (t == 9) d = 3;
    __syncthreads();
    out[blockIdx.x * 64 + t] = a[t ^ 1] + b[t] * 100 + c[t ^ 2] * 10000 + d;
}

extern "C" __global__ void by_a_typedef(int* out, int n) {
    typedef int Line[64];
    __shared__ Line a;
    using Square = float[8][8];
    __shared__ Square b;
    int t = threadIdx.x;
    a[t] = t, b[t >> 3][t & 7] = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = a[63 - t] * 100 + (int)b[t & 7][t >> 3];
}

extern "C" __global__ void one_value(int* out, int n) {
    __shared__ int total;
    __shared__ float largest;
    if (threadIdx.x == 0) total = n, largest = 0.5f;
    __syncthreads();
    int before = total;
    __syncthreads();
    if (threadIdx.x == 63) total += threadIdx.x, largest += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = total * 100 + before + (int)(largest * 2);
}

extern "C" __global__ void uniform_by_shared_memory(int* out, int n) {
    __shared__ int bound;
    if (threadIdx.x == 0) bound = n;
    __syncthreads();
    int s = 0;
    for (int i = 0; i < bound; ++i) {
        s += threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 7 && i == 1) bound -= 2;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

__device__ int shared_pointer(int* s, int t) { return s[t] = t * 2, s[t]; }
__device__ void store_wide(void* p, int t) { ((int2*)p)[t] = make_int2(t, -t); }

extern "C" __global__ void handed_to_functions(int* out, int n) {
    __shared__ __align__(8) int s[128];
    int t = threadIdx.x;
    int v = shared_pointer(s + 64, t);
    store_wide(s, t & 31);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t ^ 1] * 100 + v;
}

extern "C" __global__ void read_and_written_across(int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    int a = s[t];
    __syncthreads();
    s[63 - t] += a;
    int b = s[63 - t];
    __syncthreads();
    int c = s[t];
    s[t] = c + b;
    __syncwarp();
    out[blockIdx.x * 64 + t] = s[t ^ 1] + a + b + c;
}

__device__ int global_array[192];
extern "C" __global__ void global_memory_as_other_types(int* out, int n) {
    int g = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x;
    global_array[g] = 0;
    __syncthreads();
    if (t < 32) ((float2*)(global_array + blockIdx.x * 64))[t] = make_float2(t, 2 * t);
    __syncthreads();
    out[g] = global_array[blockIdx.x * 64 + 63 - t] >> 16;
}

extern __shared__ int pool[];

__device__ int of_its_own(int v) {
    int pool = v * 2;
    return pool + 1;
}

extern "C" __global__ void hides_dynamic_memory(int* out, int n) {
    pool[threadIdx.x] = threadIdx.x + n;
    __syncthreads();
    const int seen = pool[63 - threadIdx.x];
    int* const pool = out + blockIdx.x * 64;
    pool[threadIdx.x] = of_its_own(seen);
}
