// From one type to another, in every direction of rounding.

extern "C" __global__ void to_integers(const float* f, const double* d, int* out, unsigned* u, long long* l, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[0 * n + i] = __float2int_rn(f[i]);
    out[1 * n + i] = __float2int_rz(f[i]);
    out[2 * n + i] = __float2int_ru(f[i]);
    out[3 * n + i] = __float2int_rd(f[i]);
    out[4 * n + i] = __double2int_rn(d[i]);
    out[5 * n + i] = __double2int_rd(d[i]);
    out[6 * n + i] = (int)f[i] + (int)d[i];
    u[0 * n + i] = __float2uint_rn(fabsf(f[i]));
    u[1 * n + i] = __double2uint_ru(fabs(d[i]));
    l[0 * n + i] = __float2ll_rd(f[i] * 1e6f);
    l[1 * n + i] = __double2ll_rn(d[i] * 1e9);
    l[2 * n + i] = (long long)__double2ull_rz(fabs(d[i]) * 1e9);
}

extern "C" __global__ void from_integers(const int* a, const long long* b, float* f, double* d, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    f[0 * n + i] = __int2float_rn(a[i]);
    f[1 * n + i] = __int2float_rz(a[i]);
    f[2 * n + i] = __uint2float_ru((unsigned)a[i]);
    f[3 * n + i] = __ll2float_rd(b[i]);
    f[4 * n + i] = (float)b[i];
    d[0 * n + i] = __int2double_rn(a[i]);
    d[1 * n + i] = __uint2double_rn((unsigned)a[i]);
    d[2 * n + i] = __ll2double_rz(b[i]);
    d[3 * n + i] = __ull2double_rn((unsigned long long)b[i]);
}

extern "C" __global__ void bits_of_floats(const float* f, const double* d, int* words, long long* longs, float* back, double* again) {
    const int i = threadIdx.x;
    words[2 * i] = __float_as_int(f[i]);
    words[2 * i + 1] = (int)(__float_as_uint(f[i]) ^ 0x80000000u);
    longs[i] = __double_as_longlong(d[i]);
    back[i] = __int_as_float(words[2 * i] + 1) + __uint_as_float(0x3f800000u);
    again[i] = __hiloint2double(__double2hiint(d[i]), __double2loint(d[i])) + __longlong_as_double(longs[i]);
}

extern "C" __global__ void narrower(const double* d, float* f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    f[0 * n + i] = (float)d[i];
    f[1 * n + i] = __double2float_rn(d[i]);
    f[2 * n + i] = __double2float_rz(d[i]);
    f[3 * n + i] = __double2float_ru(d[i]);
    f[4 * n + i] = __double2float_rd(d[i]);
}

extern "C" __global__ void narrowed_in_braces(const float* f, const int* a, float* sums, long long* whole, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 pair = {a[i], a[i] + 1};
    const long long places[] = {f[i], 7};
    const unsigned char bytes[] = {a[i], 1000, -1};
    sums[i] = pair.x + pair.y;
    whole[i] = places[0] + places[1] + bytes[0] + bytes[1] + bytes[2];
}
